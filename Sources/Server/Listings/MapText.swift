import Domain
import Foundation
import HTTP
import Pages
import SearchText
import Storage

/// The text of a search on the map. A place or an address in it is where the map is, and the other words filter the listings.
struct MapText {
    private(set) var reading: SearchReading?
    private(set) var area: NamedArea?
    /// Whether the area is a street, house or landmark.
    private(set) var isAddress = false
    /// The words that name no place; nil if there are none.
    private(set) var words: String?
    /// The search for the words, everywhere.
    private(set) var query = ListingQuery()

    /// The rows that tell whether there is a listing anywhere.
    private static let countBudget = 400

    init() {}

    /// - Parameter address: finds the street, house or landmark with a text.
    /// - Throws: `invalid` for the field `q` if the text contains neither letters nor digits.
    init(
        _ text: String?,
        _ queries: ListingQueryReader,
        _ language: Language,
        address: (String) throws -> NamedArea?
    ) throws {
        guard let text, !text.isEmpty else { return }
        let whole = try queries.read(.init(["q": text]), language: language)
        guard var found = whole.reading else { return }
        for (words, range) in found.addressTexts {
            guard let address = try address(words) else { continue }
            (found, isAddress) = (found.reading(range, as: address), true)
            break
        }
        (reading, query) = (found, whole)
        area = found.parts.lazy.compactMap(\.area).first
        let others = found.parts.filter { $0.area == nil }
        words = others.isEmpty ? nil : found.text(of: others)
        guard area != nil else { return }
        query = try words.map { try queries.read(.init(["q": $0]), language: language) } ?? ListingQuery()
    }

    /// The zoom level that shows the area; nil if there is none.
    var zoom: Int? { isAddress ? Self.addressZoom : area?.zoom }

    /// Shows the houses around.
    private static let addressZoom = 17

    /// Returns what the page tells besides the listings: other searches if the words find nothing anywhere.
    func result(
        _ queries: ListingQueryReader,
        _ search: ListingSearch,
        _ language: Language,
        isEmpty: Bool
    ) throws -> SearchResult {
        let isNowhere = try isEmpty && search.count(query, budget: Self.countBudget).count == 0
        var result = try queries.result(query, QueryReader([:]), language, isEmpty: isNowhere)
        result.reading = reading
        return result
    }
}

extension SearchReading.Part {
    fileprivate var area: NamedArea? { if case .area(let area) = meaning { area } else { nil } }
}

extension NamedArea {
    /// The zoom level of web maps with tiles of 256 pixels that shows the area.
    fileprivate var zoom: Int {
        guard let radius else { return Self.zooms[level] ?? 12 }
        // The ground resolution at zoom level 0 on the equator is 156,543 m a pixel; the circle gets about 600 pixels.
        let resolution = 156_543 * cos(centre.lat * .pi / 180)
        return min(max(Int(log2(resolution * 300 / max(radius, 1))), 2), 16)
    }

    private static let zooms: [Place.Level: Int] = [.province: 9, .region: 8, .country: 6]
}

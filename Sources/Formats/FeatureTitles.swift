import Domain
import Foundation
import Storage

/// The titles of features in one language, such as "Lost: Beagle in Eboli (SA)", which viewers of GeoJSON show.
package struct FeatureTitles: Sendable {
    private let statuses: [String: String]
    private let animals: [String: String]
    /// The texts before and after the name of the place.
    private let place: (before: String, after: String)

    /// - Parameter text: Returns a text of the pages.
    package init(_ text: (String) -> String) {
        statuses = Self.texts(Listing.Status.allCases.map(\.rawValue)) { text("status.\($0)") }
        animals = Self.texts(Species.allCases.map(\.rawValue)) { text("listing.unnamed.\($0)") }
        let parts = text("listing.at").split(separator: "{place}", maxSplits: 1, omittingEmptySubsequences: false)
        place = (before: String(parts[0]), after: String(parts.dropFirst().first ?? ""))
    }

    private static func texts(_ words: [String], _ text: (String) -> String) -> [String: String] {
        Dictionary(uniqueKeysWithValues: words.map { ($0, text($0)) })
    }

    func title(of row: ListingRow) -> String {
        title(
            status: row.string(.status),
            species: row.string(.species),
            breed: row.string(.breed),
            town: row.string(.place),
            province: row.string(.provinceCode)
        )
    }

    /// The members of a prepared feature that a title has, in their order.
    private static let members: [StaticString] = [
        #","status":""#, #","species":""#, #","breed":""#, #","place":""#, #","province_code":""#,
    ]

    /// The title of a prepared feature.
    func title(of feature: UnsafeBufferPointer<UInt8>) -> String {
        let texts = feature.texts(after: Self.members)
        return title(status: texts[0], species: texts[1], breed: texts[2], town: texts[3], province: texts[4])
    }

    private func title(status: String?, species: String?, breed: String?, town: String?, province: String?) -> String {
        let animal = breed ?? species.flatMap { animals[$0] } ?? ""
        let title = "\(status.flatMap { statuses[$0] } ?? ""): \(animal)"
        guard let town else { return title }
        let name = province.map { town.hasSuffix("(\($0))") ? town : "\(town) (\($0))" } ?? town
        return "\(title) \(place.before)\(name)\(place.after)"
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The texts of some members of a JSON object, in their order; nil for null. Quotes within texts are escaped, so what
    /// looks like the beginning of a member is one.
    fileprivate func texts(after beginnings: [StaticString]) -> [String?] {
        var texts = [String?](repeating: nil, count: beginnings.count)
        var (place, next) = (0, 0)
        while next < beginnings.count, let start = firstComma(from: place) {
            place = start + 1
            guard let found = (next..<beginnings.count).first(where: { has(beginnings[$0], at: start) }) else {
                continue
            }
            (texts[found], place) = text(from: start + beginnings[found].utf8CodeUnitCount)
            next = found + 1
        }
        return texts
    }

    private func firstComma(from place: Int) -> Int? {
        guard let baseAddress, place < count else { return nil }
        let comma = memchr(baseAddress + place, Int32(UInt8(ascii: ",")), count - place)
        return comma.map { UnsafeRawPointer($0) - UnsafeRawPointer(baseAddress) }
    }

    private func has(_ text: StaticString, at place: Int) -> Bool {
        guard let baseAddress, count - place >= text.utf8CodeUnitCount else { return false }
        return memcmp(baseAddress + place, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// The text to its closing quote, and the place of that.
    private func text(from start: Int) -> (text: String?, end: Int) {
        var end = start
        while end < count, self[end] != UInt8(ascii: "\"") { end += self[end] == UInt8(ascii: "\\") ? 2 : 1 }
        let bytes = self[start..<Swift.min(end, count)]
        guard bytes.contains(UInt8(ascii: "\\")) else { return (String(decoding: bytes, as: UTF8.self), end) }
        let quote = [UInt8(ascii: "\"")]
        return (try? JSONDecoder().decode(String.self, from: Data(quote + bytes + quote)), end)
    }
}

public import Domain
public import Foundation

/// Places by position and by name, from the bundled file. Immutable: safe to use from anywhere at once.
public final class Gazetteer: Sendable {
    /// The file's name inside a geodata folder.
    public static let fileName = "gazetteer.bin"

    let file: GazetteerFile
    let nearest: NearestPlaces
    let outlines: Outlines

    /// Maps the file of a geodata folder. Throws `GazetteerError` where it is missing, foreign, cut short or damaged.
    public init(directory: URL) throws {
        file = try GazetteerFile(directory.appending(path: Self.fileName))
        nearest = NearestPlaces(file)
        outlines = Outlines(file)
    }

    /// Every Italian place with a position: seats of comuni, hamlets, quarters.
    public func italianPlaces() -> [Place] {
        (0..<file.reversibleCount).filter { file.place($0).kind != .town }.compactMap {
            describe($0, language: .italian)
        }
    }

    /// The place of a row of the file, with its areas' names in the language.
    func describe(_ index: Int, language: Language) -> Place? {
        let record = file.place(index)
        guard let coordinate = Coordinate(lon: Double(record.lon) / 1e5, lat: Double(record.lat) / 1e5) else {
            return nil
        }
        var place = Place(coordinate: coordinate)
        place.population = record.population == 0 ? nil : Int(record.population)
        place.postalCode = file.string(record.postalCode)
        switch record.kind {
        case .seat, .locality:
            let comune = file.comune(record.area)
            place.comune = file.string(comune.name)
            place.comuneCode = file.string(comune.code)
            if record.kind == .locality { place.locality = file.string(record.name) }
            place.setProvince(comune.province, file)
        case .province: place.setProvince(Int(record.area), file)
        case .region: place.region = file.string(file.province(Int(record.area)).region)
        case .town:
            place.comune = file.string(record.name)
            let area = file.area(record.area)
            place.region = file.string(area.name)
            place.setCountry(area.country, file, language)
            return place
        }
        place.countryCode = "IT"
        place.country = language == .italian ? "Italia" : "Italy"
        return place
    }
}

extension Place {
    fileprivate mutating func setProvince(_ index: Int, _ file: GazetteerFile) {
        let entry = file.province(index)
        province = file.string(entry.name)
        provinceCode = file.string(entry.code)
        region = file.string(entry.region)
    }

    mutating func setCountry(_ index: Int, _ file: GazetteerFile, _ language: Language) {
        let entry = file.country(index)
        countryCode = file.string(entry.code)
        country = file.string(language == .italian ? entry.italian : entry.english)
    }
}

extension Gazetteer: PlaceFinder {
    public func place(at coordinate: Coordinate, language: Language) -> Place? {
        let place = reverse(coordinate, language: language, alternatives: 0).place
        return place.countryCode == nil ? nil : place
    }

    /// A whole name or whole first words of one; misspelt names are not guessed here.
    public func place(named name: String, language: Language) -> Place? {
        matches(name, near: nil, language: language, limit: 1, forgiving: false).first
    }
}

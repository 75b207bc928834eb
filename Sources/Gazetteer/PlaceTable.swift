import Domain
import Foundation

/// The table of places in groups: towns abroad, then comuni and localities of Italy, then areas that can be searched.
struct PlaceTable: Sendable {
    /// The kind of a record. The raw value is the position of its group in the file.
    enum Kind: Int, CaseIterable {
        case town
        case comune
        case locality
        case province
        case region
        case admin
        case country
    }

    private static let none: UInt16 = 0xFFFF
    private static let noPostalCode: UInt32 = 0xFFFF_FFFF

    let records: Section
    let strings: Section
    private let areas: Section
    private let seconds: Section
    private let countries: Section
    private let comuneCodes: Section
    private let postalCodes: Section
    private let hamletStarts: Section
    private let ends: Section
    private let countryOfCode: [String: Int]

    init(_ file: TableFile) throws(GazetteerError) {
        records = try file.section("PLAC", stride: 24)
        strings = try file.section("STRS", stride: 1)
        areas = try file.section("AREA", stride: 16)
        seconds = try file.section("SECO", stride: 4)
        countries = try file.section("CTRY", stride: 12)
        comuneCodes = try file.section("COMU", stride: 4)
        postalCodes = try file.section("CAPS", stride: 4)
        hamletStarts = try file.section("HAML", stride: 4)
        ends = try file.section("ENDS", stride: 4)
        let codes = (0..<countries.count).map { [countries] in Self.ascii(countries, $0, at: 0, count: 2) }
        countryOfCode = Dictionary(zip(codes, codes.indices)) { first, _ in first }
        let bounds = (0..<ends.count).map { Int(ends.integer($0, as: UInt32.self)) }
        guard bounds.count == Kind.allCases.count, bounds.last == records.count, bounds == bounds.sorted()
        else { throw .damaged(path: file.file.path, section: "ENDS") }
    }

    func range(_ kind: Kind) -> Range<Int> {
        (kind.rawValue == 0 ? 0 : end(kind.rawValue - 1))..<end(kind.rawValue)
    }

    private func end(_ group: Int) -> Int { Int(ends.integer(group, as: UInt32.self)) }

    func kind(_ place: Int) -> Kind {
        for group in 0..<ends.count where place < end(group) { return Kind(rawValue: group) ?? .country }
        return .country
    }

    func vector(_ place: Int) -> UnitVector {
        UnitVector(x: records.float(place, at: 0), y: records.float(place, at: 4), z: records.float(place, at: 8))
    }

    func population(_ place: Int) -> Int { Int(records.integer(place, at: 12, as: UInt32.self)) }
    func area(_ place: Int) -> Int { Int(records.integer(place, at: 20, as: UInt16.self) & SphereTree.areaMask) }
    func name(_ place: Int) -> String { string(at: Int(records.integer(place, at: 16, as: UInt32.self))) }
    func country(ofArea area: Int) -> Int { Int(areas.integer(area, at: 12, as: UInt16.self)) }
    func country(_ place: Int) -> Int { country(ofArea: area(place)) }
    var areaCount: Int { areas.count }
    var countryCount: Int { countries.count }
    /// Returns the ISO 3166-1 alpha-2 code in upper case.
    func countryCode(_ country: Int) -> String { Self.ascii(countries, country, at: 0, count: 2) }

    /// Returns the number of the country with an ISO 3166-1 alpha-2 code.
    func country(code: String) -> Int? { countryOfCode[code] }

    /// Returns the country whose outline includes this one: France for Réunion.
    func outlineCountry(_ country: Int) -> Int { Int(countries.integer(country, at: 2, as: UInt16.self)) }

    /// Returns the comune that a comune or locality of Italy belongs to.
    func comune(_ place: Int) -> Int? {
        let parent: UInt16 = records.integer(place, at: 22)
        return parent == Self.none || place < end(0) || place >= end(2) ? nil : end(0) + Int(parent)
    }

    /// Returns the comune of Italy with a cadastral code.
    func comune(code: String) -> Int? {
        let letters = Array(code.utf8)
        guard letters.count == 4 else { return nil }
        let wanted = letters.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        return (0..<comuneCodes.count).first { comuneCodes.integer($0, as: UInt32.self) == wanted }.map { end(0) + $0 }
    }

    /// Returns the localities of a comune that have coordinates of their own.
    func hamlets(ofComune comune: Int) -> Range<Int> {
        let start: UInt32 = hamletStarts.integer(comune - end(0))
        let stop: UInt32 = hamletStarts.integer(comune - end(0) + 1)
        return end(1) + Int(start)..<end(1) + Int(stop)
    }

    func name(ofArea area: Int) -> String { string(at: Int(areas.integer(area, at: 0, as: UInt32.self))) }
    /// Returns the two-letter code of a province; empty abroad.
    func code(ofArea area: Int) -> String { Self.ascii(areas, area, at: 8, count: 4) }
    func region(ofArea area: Int) -> String { string(at: Int(areas.integer(area, at: 4, as: UInt32.self))) }

    func countryName(_ country: Int, _ language: Language) -> String {
        if let name = ownCountryName(country, language) { return name }
        let offset: UInt32 = countries.integer(country, at: language == .italian ? 8 : 4)
        return string(at: Int(offset))
    }

    /// Returns the name in a language in which the tables do not have it.
    func ownCountryName(_ country: Int, _ language: Language) -> String? {
        Self.countryNames[language]?[countryCode(country)]
    }

    /// The names of countries by their codes, in the languages in which the tables do not have them.
    private static let countryNames: [Language: [String: String]] = Dictionary(
        uniqueKeysWithValues: Language.allCases.filter { ![.english, .italian].contains($0) }.map { language in
            let locale = Locale(identifier: language.properties.locale)
            let names = Locale.Region.isoRegions.map(\.identifier).compactMap { code in
                locale.localizedString(forRegionCode: code).map { (code, $0) }
            }
            return (language, Dictionary(names) { first, _ in first })
        }
    )

    func string(at offset: Int) -> String {
        let count = Int(strings.integer(offset, as: UInt8.self))
        precondition(offset + 1 + count <= strings.bytes.count)
        return String(
            decoding: UnsafeRawBufferPointer(rebasing: strings.bytes[offset + 1..<offset + 1 + count]),
            as: UTF8.self
        )
    }

    /// Decodes a field that is padded with zeros.
    private static func ascii(_ section: Section, _ index: Int, at field: Int, count: Int) -> String {
        precondition(index >= 0 && index < section.count)
        let start = index * section.stride + field
        let bytes = UnsafeRawBufferPointer(rebasing: section.bytes[start..<start + count])
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

extension PlaceTable {
    /// Converts a record to a `Place`, without the fields that depend on the query.
    func place(_ index: Int, _ language: Language) -> Place? {
        guard let coordinate = vector(index).coordinate else { return nil }
        var place = Place(coordinate: coordinate)
        place.population = population(index) > 0 ? population(index) : nil
        describeCountry(country(index), language, of: &place)
        switch kind(index) {
        case .town: describeTown(index, of: &place)
        case .comune, .locality: describeItalian(index, of: &place)
        case .province: describeProvince(area(index), of: &place)
        case .region: place.region = name(index)
        case .admin: place.region = name(index)
        case .country: break
        }
        return place
    }

    func describeCountry(_ country: Int, _ language: Language, of place: inout Place) {
        place.country = countryName(country, language)
        place.countryCode = countryCode(country)
    }

    func describeProvince(_ area: Int, of place: inout Place) {
        place.province = name(ofArea: area)
        place.provinceCode = code(ofArea: area)
        place.region = region(ofArea: area)
    }

    private func describeTown(_ index: Int, of place: inout Place) {
        place.comune = name(index)
        let region = region(ofArea: area(index))
        place.region = region.isEmpty ? nil : region
        let parent: UInt16 = records.integer(index, at: 22)
        guard parent != Self.none else { return }
        place.province = string(at: Int(seconds.integer(Int(parent), as: UInt32.self)))
    }

    private func describeItalian(_ index: Int, of place: inout Place) {
        let comune = comune(index)
        place.comune = comune.map { name($0) }
        place.comuneCode = comune.map { Self.ascii(comuneCodes, $0 - end(0), at: 0, count: 4) }
        place.locality = index == comune ? nil : name(index)
        place.postalCode = postalCode(index) ?? comune.flatMap(postalCode)
        describeProvince(area(index), of: &place)
    }

    /// Returns the postal code of a place in Italy that has exactly one.
    private func postalCode(_ index: Int) -> String? {
        let code: UInt32 = postalCodes.integer(index - end(0))
        guard code != Self.noPostalCode else { return nil }
        let digits = String(code)
        return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }
}

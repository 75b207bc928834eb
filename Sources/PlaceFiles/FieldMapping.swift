package import Domain

/// Maps the fields of a boundary file to the fields of a place.
package struct FieldMapping: Sendable {
    /// The fields of a place by their names in API responses, from the finest level to the coarsest.
    package static let placeFields: [(name: String, level: ImportedPlace.Level?)] = [
        ("locality", .locality), ("comune", .comune), ("comune_code", nil), ("province", .province),
        ("province_code", nil), ("region", .region), ("country", .country), ("country_code", .country),
        ("postal_code", nil),
        ("population", nil),
    ]

    /// The field of the file for each field of the place.
    private var fields: [String: String] = [:]
    /// The value for the whole file of each field of the place.
    private var constants: [String: String] = [:]
    /// The level of the polygons, which is the finest level that is mapped.
    package let level: ImportedPlace.Level
    private let titleField: String

    /// - Parameters:
    ///   - assignments: Pairs of the place's field and the file's field: `comune=NAME_3`.
    ///   - constants: Pairs of the place's field and its value: `country_code=IT`.
    package init(_ assignments: [String], constants: [String] = []) throws(ServiceError) {
        for (option, texts) in [("map", assignments), ("set", constants)] {
            for text in texts {
                let (field, value) = try Self.pair(text, option)
                if option == "set", field == "country_code", Self.countryCode(value) == nil {
                    throw .invalid("set", "country_code: expected two letters like IT, got '\(value)'")
                }
                if option == "set" { try Self.checkLength(of: value, field) }
                guard self.fields[field] == nil, self.constants[field] == nil else {
                    throw .invalid(option, "\(field) is given twice")
                }
                if option == "map" { self.fields[field] = value } else { self.constants[field] = value }
            }
        }
        guard let finest = Self.placeFields.first(where: { [fields] in $0.level != nil && fields[$0.name] != nil }),
            let level = finest.level
        else {
            throw Self.nothingMapped
        }
        self.level = level
        titleField = finest.name
    }

    private static var nothingMapped: ServiceError {
        let names = placeFields.filter { $0.level != nil }.map(\.name).joined(separator: ", ")
        return .invalid("map", "expected which field names the areas: one of \(names), like --map comune=NAME")
    }

    /// Returns the error for a missing mapping, with the field names of the file.
    package static func nothingMapped(of known: Set<String>) -> ServiceError {
        let fields = known.sorted().joined(separator: ", ")
        return ServiceError(.invalid, "\(nothingMapped.message); the file has \(fields)", field: "map")
    }

    private static func checkLength(of value: String, _ field: String) throws(ServiceError) {
        do throws(PlaceText.TooLong) {
            _ = try PlaceText(value)
        } catch {
            throw .invalid("set", "\(field): \(error.message)")
        }
    }

    private static func pair(_ text: String, _ option: String) throws(ServiceError) -> (String, String) {
        let names = placeFields.map(\.name)
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, names.contains(parts[0]) else {
            let value = option == "map" ? "FIELD" : "VALUE"
            throw .invalid(option, "expected \(names.joined(separator: ", "))=\(value), got '\(text)'")
        }
        return (parts[0], parts[1])
    }

    /// The fields of the file that the mapping reads.
    var fileFields: Set<String> { Set(fields.values) }

    /// Throws if the file lacks a mapped field. The error lists the fields of the file.
    func check(against known: Set<String>) throws(ServiceError) {
        for field in fields.values.sorted() where !known.contains(field) {
            throw .invalid("map", "the file has no field '\(field)'; it has \(known.sorted().joined(separator: ", "))")
        }
    }

    /// Returns a code of two upper-case letters, or nil for any other text, such as Natural Earth's -99.
    private static func countryCode(_ text: String) -> String? {
        let code = text.uppercased()
        return code.utf8.count == 2 && code.utf8.allSatisfy { (65...90).contains($0) } ? code : nil
    }

    /// Returns the name of an area as it is in the file.
    func title(_ values: [String: String]) -> String? { fields[titleField].flatMap { values[$0] } }

    /// Returns nil if the area has no name. Throws if a text is too long.
    func place(at point: Coordinate, _ values: [String: String]) throws(ServiceError) -> ImportedPlace? {
        func text(_ name: String) throws(ServiceError) -> String? {
            guard let text = constants[name] ?? fields[name].flatMap({ values[$0] }) else { return nil }
            do throws(PlaceText.TooLong) {
                return try PlaceText(text)?.text
            } catch {
                throw .invalid(name, error.message)
            }
        }
        guard let title = try text(titleField) else { return nil }
        var place = Place(coordinate: point)
        place.locality = try text("locality")
        place.comune = try text("comune")
        place.comuneCode = try text("comune_code")
        place.province = try text("province")
        place.provinceCode = try text("province_code")
        place.region = try text("region")
        place.countryCode = try text("country_code").flatMap(Self.countryCode)
        place.postalCode = try text("postal_code")
        place.population = try text("population").flatMap(Double.init).flatMap { Int(exactly: $0.rounded()) }
        if let people = place.population, people < 0 { place.population = nil }
        return ImportedPlace(level: level, name: title, place: place)
    }
}

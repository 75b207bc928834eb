import CSV
import Domain
import Foundation
import Storage

/// The rows of a CSV file or the features of a GeoJSON file, with the field names of this program.
struct ListingRecords {
    struct Record: Sendable {
        /// The line of the file or the number of the feature, for error messages.
        let origin: String
        fileprivate var fields: [String: JSONValue]
        /// The full name of the town of a listing whose point may be only that of the town.
        fileprivate var town: String?
    }

    /// The name of the field for each of its aliases.
    private static let synonyms = Dictionary(
        uniqueKeysWithValues: ListingField.allCases.flatMap { field in
            field.definition.aliases.map { ($0.folded, field.name) }
        }
    )

    private static func isField(_ name: String) -> Bool {
        ListingField(name: name) != nil || name == "id" || name == "created_at"
    }

    /// Columns whose province completes the name of the town.
    private static let provinces = ["provincia", "prov"]

    private let input: FileHandle
    private let map: [String: String]
    private let defaults: [String: String]
    private let wanted: [String: String]

    init(_ file: String, map: [String: String], defaults: [String: String], wanted: [String: String]) throws {
        for field in Array(map.keys) + Array(defaults.keys) where !Self.isField(field) {
            throw ServiceError.invalid(field, "is not a field of a listing")
        }
        input = file == "-" ? .standardInput : try FileHandle(forReadingFrom: inputFile(file))
        self.map = map
        self.defaults = defaults
        self.wanted = wanted
    }

    func read(_ body: (Record) throws -> Void) throws {
        let start = try input.read(upToCount: 1 << 16) ?? Data()
        if start.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") {
            try forEachFeature(start + (input.readToEnd() ?? Data()), body)
        } else {
            try forEachRow(start, body)
        }
    }

    private func forEachRow(_ start: Data, _ body: (Record) throws -> Void) throws {
        var rest: Data? = start
        var reader = try CSVReader { [input] count in
            defer { rest = nil }
            return try rest ?? input.read(upToCount: count)
        }
        let columns = columns(reader.header.names)
        let names = Dictionary(reader.header.names.map { ($0.folded, $0) }) { first, _ in first }
        while let row = try reader.next() {
            guard wanted.allSatisfy({ row[$0.key] == $0.value }) else { continue }
            var record = Record(origin: "line \(row.line)", fields: defaults.mapValues(JSONValue.string))
            for (field, column) in columns {
                if let value = row[column], !value.isEmpty { record.fields[field] = .string(value) }
            }
            record.addProvince(Self.provinces.lazy.compactMap { name in names[name].flatMap { row[$0] } }.first)
            if record.fields["location_precision"] == "approximate", case .string(let place)? = record.fields["place"] {
                record.town = place
            }
            try body(record)
        }
    }

    private func forEachFeature(_ data: Data, _ body: (Record) throws -> Void) throws {
        guard let root = try? JSONDecoder().decode([String: JSONValue].self, from: data),
            case .array(let features)? = root["features"]
        else { throw ServiceError.invalid("file", "expected a GeoJSON FeatureCollection or CSV with a header line") }
        for (index, feature) in features.enumerated() {
            guard case .object(let members) = feature, case .object(var source)? = members["properties"] else {
                throw ServiceError.invalid("feature \(index + 1)", "expected an object with properties")
            }
            if let id = members["id"] { source["id"] = id }
            guard wanted.allSatisfy({ source[$0.key] == .string($0.value) }) else { continue }
            var record = Record(origin: "feature \(index + 1)", fields: defaults.mapValues(JSONValue.string))
            for (field, column) in columns(Array(source.keys)) where source[column] != .null {
                record.fields[field] = source[column]
            }
            // The centre of a town is not an exact point; the name of the town describes the location better.
            if source["approximate"] != .bool(true) || source["location_precision"] != nil {
                record.setPoint(members["geometry"])
            }
            if source["approximate"] == .bool(true) { record.town = Self.fullTownName(source) }
            try body(record)
        }
    }

    private static func fullTownName(_ source: [String: JSONValue]) -> String? {
        func text(_ name: String) -> String? {
            if case .string(let text)? = source[name] { text } else { nil }
        }
        return text("place").map { town in
            Place.fullName(
                text("locality"),
                of: town,
                provinceCode: text("province_code"),
                region: text("region"),
                country: text("country")
            )
        }
    }

    /// Returns the source column for each field: as specified in the options, by the field's own name, or by a synonym.
    private func columns(_ names: [String]) -> [String: String] {
        var columns: [String: String] = [:]
        for name in names {
            let plain = name.lowercased()
            let field = Self.synonyms[name.folded] ?? plain
            guard Self.isField(field) else { continue }
            if columns[field] == nil || plain == field { columns[field] = name }
        }
        return columns.merging(map) { $1 }
    }
}

/// The fields as they are, for commands that do not import.
extension ListingRecords.Record {
    /// The text of a field after usual words were translated; nil if the record has none.
    func text(_ field: ListingField) throws -> String? {
        guard let text = text(field.name) else { return nil }
        guard case .string(let value) = try ListingTerms.value(field.name, text) else { return nil }
        return value
    }

    /// The text of a field as it is written.
    func text(_ name: String) -> String? {
        if case .string(let text)? = fields[name], !text.isEmpty { text } else { nil }
    }

    func number(_ field: ListingField) -> Double? { Self.degrees(fields[field.name]) }
}

extension ListingRecords.Record {
    fileprivate mutating func setPoint(_ geometry: JSONValue?) {
        guard case .object(let members)? = geometry, case .array(let pair)? = members["coordinates"], pair.count >= 2
        else { return }
        fields["lon"] = pair[0]
        fields["lat"] = pair[1]
    }

    /// Completes the name of a town by a province, because several towns may have the name.
    fileprivate mutating func addProvince(_ province: String?) {
        guard let province = province?.trimmed, !province.isEmpty, case .string(let place)? = fields["place"],
            !place.contains(where: "(,".contains), place.folded != province.folded
        else { return }
        fields["place"] = .string("\(place) (\(province))")
    }

    func row(_ editor: ListingEditor, owner: Account) throws -> ListingImporter.Row {
        var fields = fields.filter { $0.value != .null }
        try replacePointOfTown(&fields, editor)
        let id = takeIdentity(&fields)
        let source = id == nil && fields["reference"] == nil ? try Self.source(fields) : nil
        for (name, value) in fields {
            if case .string(let text) = value { fields[name] = try ListingTerms.value(name, text) }
        }
        let created = try Field("created_at", fields.removeValue(forKey: "created_at") ?? .null).timestamp()
        let (content, location) = try editor.create(fields, owner: owner)
        let draft = ListingStore.Draft(
            id: id ?? UUID(),
            content: content,
            location: location,
            createdAt: created ?? content.lastSeenAt
        )
        return ListingImporter.Row(draft, source: source)
    }

    /// Replaces a point by the name of the town if it is the point of that town in the gazetteer.
    private func replacePointOfTown(_ fields: inout [String: JSONValue], _ editor: ListingEditor) throws {
        guard let town, let lon = Self.degrees(fields["lon"]), let lat = Self.degrees(fields["lat"]),
            case .town(let place) = try editor.finder.town(named: town, language: editor.language),
            place.coordinate == Coordinate(lon: lon, lat: lat)
        else { return }
        (fields["lon"], fields["lat"], fields["place"]) = (nil, nil, .string(town))
    }

    fileprivate static func degrees(_ value: JSONValue?) -> Double? {
        switch value {
        case .number(let degrees): degrees
        case .string(let text): ListingTerms.degrees(text)
        default: nil
        }
    }

    /// Returns the fields as text that is the same for equal fields.
    private static func source(_ fields: [String: JSONValue]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(fields), as: UTF8.self)
    }

    /// Returns the id if it is a UUID. Otherwise keeps the foreign id as the reference and returns nil.
    private func takeIdentity(_ fields: inout [String: JSONValue]) -> UUID? {
        guard case .string(let text)? = fields.removeValue(forKey: "id") else { return nil }
        if let id = UUID(uuidString: text) { return id }
        if fields["reference"] == nil { fields["reference"] = .string(text) }
        return nil
    }
}

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
        /// The full name of the town of a feature whose point may be only that of the town.
        fileprivate var town: String?
    }

    /// The name of the field for each of its aliases.
    private static let synonyms = Dictionary(
        uniqueKeysWithValues: ListingField.allCases.flatMap { field in
            field.definition.aliases.map { ($0, field.name) }
        }
    )

    private static func isField(_ name: String) -> Bool {
        ListingField(name: name) != nil || name == "id" || name == "created_at"
    }

    private let input: FileHandle
    private let map: [String: String]
    private let defaults: [String: String]
    private let wanted: [String: String]

    init(_ file: String, map: [String: String], defaults: [String: String], wanted: [String: String]) throws {
        for field in Array(map.keys) + Array(defaults.keys) where !Self.isField(field) {
            throw ServiceError.invalid(field, "is not a field of a listing")
        }
        input = file == "-" ? .standardInput : try FileHandle(forReadingFrom: URL(filePath: file))
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
        while let row = try reader.next() {
            guard wanted.allSatisfy({ row[$0.key] == $0.value }) else { continue }
            var record = Record(origin: "line \(row.line)", fields: defaults.mapValues(JSONValue.string))
            for (field, column) in columns {
                if let value = row[column], !value.isEmpty { record.fields[field] = .string(value) }
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
            let field = Self.synonyms[plain] ?? plain
            guard Self.isField(field) else { continue }
            if columns[field] == nil || plain == field { columns[field] = name }
        }
        return columns.merging(map) { $1 }
    }
}

extension ListingRecords.Record {
    fileprivate mutating func setPoint(_ geometry: JSONValue?) {
        guard case .object(let members)? = geometry, case .array(let pair)? = members["coordinates"], pair.count >= 2
        else { return }
        fields["lon"] = pair[0]
        fields["lat"] = pair[1]
    }

    func row(_ editor: ListingEditor, owner: Account) throws -> ListingImporter.Row {
        var fields = fields.filter { $0.value != .null }
        try replacePointOfTown(&fields, editor)
        let id = takeIdentity(&fields)
        let source = id == nil && fields["reference"] == nil ? try Self.source(fields) : nil
        let created = try Field("created_at", fields.removeValue(forKey: "created_at") ?? .null).timestamp()
        for (name, value) in fields {
            if case .string(let text) = value { fields[name] = Self.typed(name, text) }
        }
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
        guard let town, case .town(let place) = try editor.finder.town(named: town, language: editor.language),
            fields["lon"] == .number(place.coordinate.lon), fields["lat"] == .number(place.coordinate.lat)
        else { return }
        (fields["lon"], fields["lat"], fields["place"]) = (nil, nil, .string(town))
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

    /// Shelters write "Spayed Female", "Neutered" and "Unknown". Returns nil for other texts.
    private static func sex(_ text: String) -> JSONValue? {
        let words = Set(text.split(separator: " "))
        if !words.isDisjoint(with: ["female", "f", "spayed", "femmina"]) { return .string("female") }
        if !words.isDisjoint(with: ["male", "m", "neutered", "maschio"]) { return .string("male") }
        return text.contains("unknown") ? .null : nil
    }

    /// Converts a text from a CSV file to the type of its field, and translates the usual words.
    private static func typed(_ name: String, _ text: String) -> JSONValue {
        let lower = text.trimmed.lowercased()
        switch ListingField(name: name) {
        case .species: return .string(Species(rawValue: lower)?.rawValue ?? "other")
        case .sex: return sex(lower) ?? .string(text)
        case let field?:
            switch field.kind {
            case .degrees: return Double(lower).map(JSONValue.number) ?? .string(text)
            case .flag:
                return ["true", "1", "yes"].contains(lower)
                    ? .bool(true) : ["false", "0", "no"].contains(lower) ? .bool(false) : .string(text)
            case .choice: return .string(lower)
            case .text, .lines, .breed, .age, .microchip, .phone, .email, .time: return .string(text)
            }
        case nil: return .string(text)
        }
    }
}

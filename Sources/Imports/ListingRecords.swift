import CSV
package import Domain
package import Foundation
package import Localization
package import Storage

/// The rows of a CSV file or the features of a GeoJSON file, with the field names of this program.
package struct ListingRecords {
    package struct Record: Sendable {
        /// The line of the file or the number of the feature, for error messages.
        package let origin: String
        /// The column from which each field comes.
        package fileprivate(set) var columns: [String: String] = [:]
        fileprivate var fields: [String: JSONValue]
        /// The full name of the town of a listing whose point may be only that of the town.
        fileprivate var town: String?
    }

    /// A row, or why it cannot be read.
    package enum Entry: Sendable {
        case record(Record)
        case mistake(any Error)
    }

    /// The name of the field for each of its aliases.
    private static let synonyms = Dictionary(
        uniqueKeysWithValues: ListingField.allCases.flatMap { field in
            field.definition.aliases.map { ($0.folded, field.name) }
        }
    )

    private static func isField(_ name: String) -> Bool {
        ListingField(name: name) != nil || ["id", "created_at", PointConfirmation.fieldName].contains(name)
    }

    /// Columns whose province completes the name of the town.
    private static let provinces = ["provincia", "prov"]

    private enum Source {
        case rows(CSVReader, RowPlan)
        case features(FeatureReader)
    }

    /// How the columns of a CSV file become fields.
    private struct RowPlan {
        let mapping: ImportMapping
        /// In the order of preference.
        var columns: [(field: String, column: String)] = []
        var folded: [(name: String, column: String)] = []
        var marks: [(column: String, label: String)] = []
        var province: [String] = []
    }

    private var source: Source
    private let map: [String: String]
    private let defaults: [String: String]
    private let wanted: [String: String]
    private var features = 0
    /// The columns of a CSV file that are not understood.
    package private(set) var unknownColumns: [String] = []
    /// Columns that differ only in case and accents from each other are one for this.
    private static let maxColumns = 500

    /// - Parameters:
    ///   - mapping: nil knows only the names of fields and their aliases.
    ///   - map: columns by fields, which count more than all other names.
    package init(
        _ input: FileHandle,
        mapping: ImportMapping.Name? = nil,
        map: [String: String] = [:],
        defaults: [String: String] = [:],
        wanted: [String: String] = [:]
    ) throws {
        for field in Array(map.keys) + Array(defaults.keys) where !Self.isField(field) {
            throw ServiceError.invalid(field, "is not a field of a listing")
        }
        (self.map, self.defaults, self.wanted) = (map, defaults, wanted)
        var rest: Data? = try input.read(upToCount: 1 << 16) ?? Data()
        let start = rest?.starts(with: [0xEF, 0xBB, 0xBF]) == true ? rest?.dropFirst(3) : rest
        let isJSON = start?.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
        if isJSON { rest = start }
        let read: (Int) throws -> Data? = { count in
            defer { rest = nil }
            return try rest ?? input.read(upToCount: count)
        }
        guard !isJSON else {
            source = .features(FeatureReader(read))
            return
        }
        let reader = try CSVReader(read: read)
        let names = reader.header.names
        guard names.count <= Self.maxColumns else {
            throw ServiceError.invalid("file", "expected at most \(Self.maxColumns) columns")
        }
        let plan = Self.plan(names, mapping.map { .mapping($0, for: names) } ?? .plain, map)
        source = .rows(reader, plan)
        let known = Set(plan.columns.map(\.column) + plan.marks.map(\.column) + plan.province)
        unknownColumns = names.filter { name in
            !name.isEmpty && !known.contains(name) && !plan.mapping.ignored.contains(name.folded)
        }
    }

    /// Returns the next row, or nil at the end. Throws if the rest of the file cannot be read.
    package mutating func next() throws -> Entry? {
        switch source {
        case .rows(var reader, let plan):
            defer { source = .rows(reader, plan) }
            do {
                while let row = try reader.next() {
                    guard wanted.allSatisfy({ row[$0.key] == $0.value }) else { continue }
                    return .record(record(row, plan))
                }
            } catch let error as CSVError where !error.endsFile {
                return .mistake(error)
            }
        case .features(var reader):
            defer { source = .features(reader) }
            while let data = try reader.next() {
                features += 1
                guard let entry = entry(data) else { continue }
                return entry
            }
        }
        return nil
    }

    private func record(_ row: CSVRow, _ plan: RowPlan) -> Record {
        var record = Record(origin: "line \(row.line)", fields: defaults.mapValues(JSONValue.string))
        var more: [String] = []
        for (field, column) in plan.columns {
            guard let value = row[column], !value.isEmpty else { continue }
            if record.columns[field] == nil {
                record.fields[field] = .string(value)
                record.columns[field] = column
            } else if field == ListingField.place.name {
                more.append(value)
            }
        }
        for place in more { record.addWhereabouts(place) }
        let marks = plan.marks.compactMap { column, label in
            row[column].flatMap { $0.isEmpty ? nil : "\(label): \($0)" }
        }
        if !marks.isEmpty {
            record.fields["marks"] = .string(
                ([record.text("marks")].compactMap(\.self) + marks).joined(separator: "; ")
            )
        }
        if plan.mapping.needsRow {
            let values = plan.folded.map { ($0.name, row[$0.column] ?? "") }
            plan.mapping.complete(&record.fields, Dictionary(values) { first, _ in first })
        }
        record.addProvince(plan.province.lazy.compactMap { row[$0] }.first)
        if record.fields["location_precision"] == "approximate", case .string(let place)? = record.fields["place"] {
            record.town = place
        }
        return record
    }

    /// Returns nil for a feature that is not wanted.
    private func entry(_ data: Data) -> Entry? {
        guard let feature = try? JSONDecoder().decode(JSONValue.self, from: data), case .object(let members) = feature,
            case .object(var source)? = members["properties"]
        else {
            return .mistake(ServiceError.invalid("feature \(features)", "expected an object with properties"))
        }
        if let id = members["id"] { source["id"] = id }
        guard wanted.allSatisfy({ source[$0.key] == .string($0.value) }) else { return nil }
        var record = Record(origin: "feature \(features)", fields: defaults.mapValues(JSONValue.string))
        for (field, column) in Self.columns(Array(source.keys), map) where source[column] != .null {
            record.fields[field] = source[column]
            record.columns[field] = column
        }
        // The centre of a town is not an exact point; the name of the town describes the location better.
        if source["approximate"] != .bool(true) || source["location_precision"] != nil {
            record.setPoint(members["geometry"])
        }
        if source["approximate"] == .bool(true) { record.town = Self.fullTownName(source) }
        if source["last_seen_precision"] == "day" { record.setDay(members["geometry"]) }
        return .record(record)
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

    private static func plan(_ names: [String], _ mapping: ImportMapping, _ map: [String: String]) -> RowPlan {
        let byName = Dictionary(names.map { ($0.folded, $0) }) { first, _ in first }
        var plan = RowPlan(mapping: mapping)
        plan.columns = columns(names, map).map { ($0.key, $0.value) }.sorted { $0.field < $1.field }
        // Files have a town and a hamlet, for example.
        let chosen = Set(plan.columns.map(\.column))
        let isPlace = { (name: String) in synonyms[name.folded] == ListingField.place.name && !chosen.contains(name) }
        plan.columns += names.filter(isPlace).map { (ListingField.place.name, $0) }
        plan.columns += mapping.columns.compactMap { name, field in byName[name].map { (field, $0) } }
        plan.folded = byName.map { ($0.key, $0.value) }
        plan.marks = mapping.marks.compactMap { name, label in byName[name].map { ($0, label) } }
        plan.province = provinces.compactMap { byName[$0] }
        return plan
    }

    /// Returns the source column for each field: as specified in the options, by the field's own name, or by a synonym.
    private static func columns(_ names: [String], _ map: [String: String]) -> [String: String] {
        var columns: [String: String] = [:]
        for name in names {
            let plain = name.lowercased()
            let field = synonyms[name.folded] ?? plain
            guard isField(field) else { continue }
            if columns[field] == nil || plain == field { columns[field] = name }
        }
        return columns.merging(map) { $1 }
    }
}

/// What identifies a row, before it is converted.
extension ListingRecords.Record {
    /// The reference, also a foreign id; nil if there is none.
    package var reference: String? {
        let id = text("id").flatMap { UUID(uuidString: $0) == nil ? $0 : nil }
        return (text("reference") ?? id).map { String($0.trimmed) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The id, if it is one of this program.
    package var id: UUID? { text("id").flatMap(UUID.init(uuidString:)) }

    /// The contents as text that is the same for equal rows.
    package func contents() throws -> String { try Self.source(fields) }
}

/// The fields as they are, for commands that do not import.
extension ListingRecords.Record {
    /// The text of a field after usual words were translated; nil if the record has none.
    package func text(_ field: ListingField) throws -> String? {
        guard let text = text(field.name) else { return nil }
        guard case .string(let value) = try ListingTerms.value(field.name, text) else { return nil }
        return value
    }

    /// The text of a field as it is written.
    package func text(_ name: String) -> String? {
        if case .string(let text)? = fields[name], !text.isEmpty { text } else { nil }
    }

    package func number(_ field: ListingField) -> Double? { Self.degrees(fields[field.name]) }
}

extension ListingRecords.Record {
    fileprivate mutating func setPoint(_ geometry: JSONValue?) {
        guard let pair = Self.position(geometry) else { return }
        fields["lon"] = pair[0]
        fields["lat"] = pair[1]
    }

    /// Keeps only the day of the time, as the service that wrote the feature has it.
    fileprivate mutating func setDay(_ geometry: JSONValue?) {
        let seen = ListingField.lastSeenAt.name
        guard let lon = Self.degrees(Self.position(geometry)?[0]),
            let time = text(seen).flatMap(Timestamp.init(parsing:)),
            let day = CalendarDay(of: time, at: lon)
        else { return }
        fields[seen] = .string(day.text)
    }

    private static func position(_ geometry: JSONValue?) -> [JSONValue]? {
        guard case .object(let members)? = geometry, case .array(let pair)? = members["coordinates"], pair.count >= 2
        else { return nil }
        return pair
    }

    /// Takes a second column for the place as the street or landmark in the town of the first one, or adds it to the
    /// description if it is too long.
    fileprivate mutating func addWhereabouts(_ text: String) {
        let known = [self.text("place"), self.text("whereabouts")].compactMap { $0?.folded }
        guard !known.contains(text.folded) else { return }
        func join(_ field: ListingField, _ separator: String) -> String {
            [self.text(field.name), text].compactMap(\.self).joined(separator: separator)
        }
        let whole = join(.whereabouts, ", ")
        let isShort = whole.count <= ListingField.whereabouts.maxLength
        fields[isShort ? "whereabouts" : "description"] = .string(isShort ? whole : join(.description, "\n"))
    }

    /// Completes the name of a town by a province, because several towns may have the name.
    fileprivate mutating func addProvince(_ province: String?) {
        guard let province = province?.trimmed, !province.isEmpty, case .string(let place)? = fields["place"],
            !place.contains(where: "(,".contains), place.folded != province.folded
        else { return }
        fields["place"] = .string("\(place) (\(province))")
    }

    /// - Parameter zones: for times without a zone, which are by the clocks of the listing's place.
    package func row(_ editor: ListingEditor, _ zones: TimeZones, owner: Account) throws -> ListingImporter.Row {
        var fields = fields.filter { $0.value != .null }
        try replacePointOfTown(&fields, editor)
        let id = takeIdentity(&fields)
        let source = id == nil && fields["reference"] == nil ? try Self.source(fields) : nil
        let seen = ListingField.lastSeenAt.name
        let local = text(seen).flatMap { ListingTerms.isLocalTime($0) ? $0 : nil }
        if local != nil { fields[seen] = nil }
        for (name, value) in fields {
            if case .string(let text) = value { fields[name] = try ListingTerms.value(name, text) }
        }
        let created = try Field("created_at", fields.removeValue(forKey: "created_at") ?? .null).timestamp()
        var (content, location) = try editor.create(fields, owner: owner)
        if let local {
            let time = try ListingTerms.time(seen, local, zone: zones.zone(at: location))
            try content.apply(Field(seen, .string(time)), breeds: editor.breeds)
            try content.setDay(at: location)
        }
        let draft = ListingStore.Draft(
            id: id ?? UUID(),
            content: content,
            location: location,
            createdAt: created
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

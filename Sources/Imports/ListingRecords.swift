import CSV
package import Domain
package import Foundation

/// The rows of a CSV file or spreadsheet, or the features of a GeoJSON file, with the field names of this program.
package struct ListingRecords {
    package struct Record: Sendable {
        /// The line of the file or the number of the feature, for error messages.
        package let position: String
        /// The column from which each field comes.
        package internal(set) var columns: [String: String] = [:]
        var fields: [String: JSONValue]
        /// The fields of the animal's record that the row has; nil where a column of the file has no text.
        var notes: [AnimalRecord.Key: String?] = [:]
        /// The days of the record, as they are written.
        var noteDays: [String] = []
        /// Whether everybody sees the contacts of the row; nil if nobody said so.
        var showsContacts: Bool?
        /// Where the listing began, if the file is the board of another service.
        package internal(set) var origin: ListingOrigin?
        /// The full name of the town of a listing whose point may be only that of the town.
        var town: String?
    }

    /// A row, or why it cannot be read.
    package enum Entry: Sendable {
        case record(Record)
        case mistake(any Error)
    }

    /// The name of the field for each of its aliases.
    private static let synonyms = Dictionary(
        ImportWords.meanings("field") + PhotoAddresses.columns.map { ($0, ImportPlan.photos) }
    ) { first, _ in first }

    private static func isField(_ name: String) -> Bool {
        ListingField(name: name) != nil
            || ["id", "created_at", PointConfirmation.fieldName, ImportPlan.photos].contains(name)
    }

    /// Returns the field that a column has by its name, or the name itself.
    private static func field(named name: String) -> String {
        synonyms[PhotoAddresses.unnumbered(name.folded)] ?? synonyms[name.folded] ?? name.lowercased()
    }

    /// Columns whose province completes the name of the town.
    private static let provinces = ImportWords.meanings("province").map(\.word)

    enum Source {
        case rows(Table, RowPlan)
        case features(JSONElementReader)
    }

    /// How the columns of a CSV file become fields.
    struct RowPlan {
        let mapping: ImportMapping
        /// In the order of preference.
        var columns: [(field: String, column: String)] = []
        var folded: [(name: String, column: String)] = []
        var marks: [(column: String, label: String)] = []
        var province: [String] = []
        /// The columns of the record of the animal. One can be that of a field as well.
        var notes: [(column: String, key: AnimalRecord.Key)] = []
        /// The name of a row in error messages.
        var unit = "line"
        /// The columns whose texts are added to those of other columns of their field, with their names.
        var joined: Set<String> = []

        /// Adds the fields that columns with unknown names probably have, one for each field that no other column has.
        ///
        /// - Parameter joined: the folded names of columns that complete others.
        mutating func guess(_ names: [String], joined: Set<String>) {
            let known = Set(columns.map(\.column))
            for name in names where !known.contains(name) {
                // A note is private. Only a day of intake can be the date of the listing as well.
                guard [nil, .intakeDay].contains(ImportMapping.recordKey(name)),
                    !joined.contains(name.folded), !mapping.ignored.contains(name.folded),
                    let field = ImportMapping.guess(name), !columns.contains(where: { $0.field == field })
                else { continue }
                columns.append((field, name))
            }
        }
    }

    private(set) var source: Source
    private let map: [String: String]
    private let defaults: [String: String]
    private let wanted: [String: String]
    private let plan: ImportPlan
    private let mapping: ImportMapping.Name?
    /// The address of the service from which the file was fetched.
    let service: String?
    /// Whether dates of numbers begin with the month.
    private var isMonthFirst: Bool { plan.dates == .monthFirst }
    private var features = 0
    /// The columns of a CSV file that are not understood.
    package private(set) var unknownColumns: [String] = []
    /// Reads a file, or a pipe. A spreadsheet has to be a file.
    ///
    /// - Parameters:
    ///   - mapping: nil knows only the names of fields and their aliases.
    ///   - map: columns by fields, which count more than all other names.
    ///   - plan: what columns and values mean; columns that it does not name are recognised.
    ///   - service: the address of the service from which the file was fetched; its listings began there.
    package init(
        _ file: URL,
        mapping: ImportMapping.Name? = nil,
        map: [String: String] = [:],
        defaults: [String: String] = [:],
        wanted: [String: String] = [:],
        plan: ImportPlan = ImportPlan(),
        service: String? = nil
    ) throws {
        for field in Array(map.keys) + Array(defaults.keys) where !Self.isField(field) {
            throw ServiceError.invalid(field, "is not a field of a listing")
        }
        (self.map, self.wanted, self.plan) = (map, wanted, plan)
        (self.mapping, self.service) = (mapping, service)
        self.defaults = plan.defaults.filter { Self.isField($0.key) }.merging(defaults) { $1 }
        let input = try FileHandle(forReadingFrom: file)
        var rest: Data? = try input.read(upToCount: 1 << 16) ?? Data()
        let start = rest?.starts(with: [0xEF, 0xBB, 0xBF]) == true ? rest?.dropFirst(3) : rest
        let first = start?.first { !" \t\r\n".utf8.contains($0) }
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        if isJSON { rest = start }
        let read: (Int) throws -> Data? = { count in
            defer { rest = nil }
            return try rest ?? input.read(upToCount: count)
        }
        if first == UInt8(ascii: "{"), let start, Self.isGeoJSON(start) {
            source = .features(JSONElementReader(.features, read))
            return
        }
        let isKnown = { Self.isKnown($0, mapping, plan) }
        let table =
            if isJSON {
                try Self.table(read)
            } else if Spreadsheet.begins(start ?? Data()) {
                try Table(isKnown: isKnown, padsRows: true, read: Spreadsheet.rows(of: file))
            } else {
                try Table(isKnown: isKnown, padsRows: false, read: Self.records(read))
            }
        let names = table.names
        var rowPlan = Self.plan(names, mapping.map { .mapping($0, for: names) } ?? .plain, map, plan)
        if isJSON { rowPlan.unit = "element" }
        source = .rows(table, rowPlan)
        let known = Set(
            rowPlan.columns.map(\.column) + rowPlan.marks.map(\.column) + rowPlan.province
                + rowPlan.notes.map(\.column))
        unknownColumns = names.filter { name in
            !name.isEmpty && !known.contains(name) && !rowPlan.mapping.ignored.contains(name.folded)
                && !rowPlan.mapping.hidden.contains(name.folded)
                && plan.columns[name] == nil
        }
    }

    /// - Parameter start: the beginning of a JSON file.
    private static func isGeoJSON(_ start: Data) -> Bool {
        start.firstRange(of: Data("\"FeatureCollection\"".utf8)) != nil
            || start.firstRange(of: Data("\"features\"".utf8)) != nil
    }

    private static func table(_ read: @escaping (Int) throws -> Data?) throws -> Table {
        var rows = try JSONRows(read)
        return Table(names: rows.names) { try rows.next() }
    }

    private static func records(_ read: @escaping (Int) throws -> Data?) throws -> () throws -> Table.Record? {
        var records = try RecordReader(lines: Table.maxTitleRows, read: read)
        return { try records.next().map { ($0.line, $0.fields.map(\.formulaGuardRemoved)) } }
    }

    /// Whether a text is the name of a column that can be read.
    private static func isKnown(_ text: String, _ mapping: ImportMapping.Name?, _ plan: ImportPlan) -> Bool {
        let name = String(text.trimmed)
        if plan.columns[name] != nil || isField(field(named: name)) { return true }
        return mapping != nil
            && (ImportMapping.knownColumns.contains(name.folded) || ImportMapping.guess(name) != nil
                || ImportMapping.recordKey(name) != nil)
    }

    /// Returns what a column of the file is read as: the name of a field of a listing or of the record of an animal,
    /// `ImportPlan.province`, or nil if it is left out.
    package func field(ofColumn column: String) -> String? {
        guard case .rows(_, let plan) = source else { return nil }
        if plan.province.contains(column) { return ImportPlan.province }
        if plan.marks.contains(where: { $0.column == column }) { return ListingField.marks.name }
        return plan.columns.first { $0.column == column }?.field
            ?? plan.notes.first { $0.column == column }?.key.rawValue
    }

    /// Returns the next row, or nil at the end. Throws if the rest of the file cannot be read.
    package mutating func next() throws -> Entry? {
        switch source {
        case .rows(var table, let rowPlan):
            defer { source = .rows(table, rowPlan) }
            do {
                while let row = try table.next() {
                    guard wanted.allSatisfy({ row[$0.key] == $0.value }) else { continue }
                    let record = record(row, rowPlan)
                    guard !Self.isCopy(id: record.id, origin: row["origin"]) else { continue }
                    return .record(record)
                }
            } catch let error as CSVError where !error.endsFile {
                return .mistake(error)
            } catch let error as ServiceError where error.field?.hasPrefix("element") == true {
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

    private func record(_ row: Table.Row, _ rowPlan: RowPlan) -> Record {
        var record = Record(position: "\(rowPlan.unit) \(row.line)", fields: defaults.mapValues(JSONValue.string))
        var more: [String] = []
        for (field, column) in rowPlan.columns {
            guard let value = row[column], !value.isEmpty else { continue }
            if record.columns[field] == nil {
                record.fields[field] = .string(value)
                record.columns[field] = column
            } else if field == ListingField.place.name {
                more.append(value)
            } else if field == ImportPlan.photos {
                record.add(value, to: field)
            } else if rowPlan.joined.contains(column) {
                record.add("\(column): \(value)", to: field)
            }
        }
        for place in more { record.addWhereabouts(place) }
        let marks = rowPlan.marks.compactMap { column, label in
            row[column].flatMap { $0.isEmpty ? nil : "\(label): \($0)" }
        }
        if !marks.isEmpty {
            record.fields["marks"] = .string(
                ([record.text("marks")].compactMap(\.self) + marks).joined(separator: "; ")
            )
        }
        if rowPlan.mapping.needsRow {
            let values = rowPlan.folded.map { ($0.name, row[$0.column] ?? "") }
            rowPlan.mapping.complete(&record.fields, Dictionary(values) { first, _ in first })
        }
        for (column, key) in rowPlan.notes {
            guard let text = row[column].map({ String($0.trimmed) }) else { continue }
            record.note(text, as: key, isMonthFirst: isMonthFirst)
            record.columns[key.rawValue] = record.columns[key.rawValue] ?? column
            if key.isDay { record.noteDays.append(text) }
        }
        if rowPlan.mapping.isBoard { record.origin = origin(of: record.id) }
        record.read(plan, isMonthFirst: isMonthFirst)
        record.addProvince(rowPlan.province.lazy.compactMap { row[$0] }.first)
        // The report names the town with its province.
        record.read(ListingField.place.name, plan)
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
        let id = Self.text(source["id"]).flatMap(UUID.init(uuidString:))
        guard !Self.isCopy(id: id, origin: Self.text(source["origin"])) else { return nil }
        let isBoard = mapping == .doggofinder || mapping == .auto && ImportMapping.isListing(source)
        let origin = isBoard ? origin(of: id) : nil
        if origin != nil { source.completeAsListing() }
        var record = Record(position: "feature \(features)", fields: defaults.mapValues(JSONValue.string))
        record.origin = origin
        for (field, column) in Self.columns(Array(source.keys), map, plan) where source[column] != .null {
            record.fields[field] = source[column]
            record.columns[field] = column
        }
        record.read(plan, isMonthFirst: isMonthFirst)
        // The centre of a town is not an exact point; the name of the town describes the location better.
        if source["approximate"] != .bool(true) || source["location_precision"] != nil {
            record.setPoint(members["geometry"])
        }
        if source["approximate"] == .bool(true) { record.town = Self.fullTownName(source) }
        if source["last_seen_precision"] == "day" { record.setDay(members["geometry"]) }
        return .record(record)
    }

    private static func text(_ value: JSONValue?) -> String? {
        if case .string(let text)? = value { text } else { nil }
    }

    private static func fullTownName(_ source: [String: JSONValue]) -> String? {
        func text(_ name: String) -> String? { Self.text(source[name]) }
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

    private static func plan(
        _ all: [String],
        _ mapping: ImportMapping,
        _ map: [String: String],
        _ asked: ImportPlan
    ) -> RowPlan {
        let planned = all.compactMap { name in asked.columns[name].map { (field: $0, column: name) } }
        let names = all.filter { asked.columns[$0] == nil && !mapping.hidden.contains($0.folded) }
        let byName = Dictionary(names.map { ($0.folded, $0) }) { first, _ in first }
        var plan = RowPlan(mapping: mapping)
        plan.columns = planned.filter { isField($0.field) }
        plan.joined = Set(plan.columns.filter { ListingField(name: $0.field)?.kind.isLines == true }.map(\.column))
        plan.province = planned.filter { $0.field == ImportPlan.province }.map(\.column)
        plan.columns += columns(names, map, asked).map { ($0.key, $0.value) }.sorted { $0.field < $1.field }
        // Files have a town and a hamlet, and several photos.
        let chosen = Set(plan.columns.map(\.column))
        for name in names where !chosen.contains(name) {
            let field = field(named: name)
            if [ListingField.place.name, ImportPlan.photos].contains(field) { plan.columns.append((field, name)) }
        }
        plan.columns += mapping.columns.compactMap { name, field in byName[name].map { (field, $0) } }
        if mapping.guesses { plan.guess(names, joined: Set(mapping.marks.map(\.column)).union(provinces)) }
        plan.folded = Dictionary(all.map { ($0.folded, $0) }) { first, _ in first }.map { ($0.key, $0.value) }
        plan.marks = mapping.marks.compactMap { name, label in byName[name].map { ($0, label) } }
        plan.province += provinces.compactMap { byName[$0] }
        plan.notes = planned.compactMap { column in AnimalRecord.Key(rawValue: column.field).map { (column.column, $0) }
        }
        if mapping.hasRecords {
            plan.notes += names.compactMap { name in ImportMapping.recordKey(name).map { (name, $0) } }
        }
        return plan
    }

    /// Returns the source column for each field: as specified in the options, by the field's own name, or by a synonym.
    private static func columns(_ names: [String], _ map: [String: String], _ plan: ImportPlan) -> [String: String] {
        var columns: [String: String] = [:]
        for name in names {
            if let field = plan.columns[name] {
                if isField(field) { columns[field] = name }
                continue
            }
            let field = field(named: name)
            guard isField(field) else { continue }
            if columns[field] == nil || name.lowercased() == field { columns[field] = name }
        }
        return columns.merging(map) { $1 }
    }
}

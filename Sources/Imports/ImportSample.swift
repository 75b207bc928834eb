package import Domain
package import Foundation

/// The beginning of a file, for the page on which its sender says what the columns mean.
package struct ImportSample: Sendable {
    package struct Column: Sendable {
        package let name: String
        /// The name of the field it is read as, or `ImportPlan.province`; nil if it is left out.
        package let field: String?
        /// Some of its values, each once.
        package let values: [String]
    }

    /// A value of a field that has few.
    package struct Value: Sendable {
        package let field: ListingField
        /// As the file has it.
        package let text: String
        /// The value it is read as; nil if it is not understood.
        package let meaning: String?
    }

    /// Nil for GeoJSON, whose names are those of fields.
    package private(set) var columns: [Column] = []
    package private(set) var values: [Value] = []

    /// The rows that are read.
    private static let rows = 1_000
    private static let (shownValues, maxValues) = (3, 30)
    /// In characters.
    private static let maxLength = 60
    private static let choices: [ListingField] = [.status, .species, .sex, .size]

    /// That of a file without columns.
    package init() {}

    /// Reads some rows. It takes milliseconds.
    ///
    /// - Throws: errors of the file; rows with mistakes are skipped.
    package init(_ file: URL, mapping: ImportMapping.Name?, plan: ImportPlan) throws {
        let records = try ListingRecords(file, mapping: mapping, plan: plan)
        guard case .rows(var table, _) = records.source else { return }
        let fields = table.names.map(records.field)
        var values = table.names.map { _ in [String]() }
        var count = 0
        while count < Self.rows {
            count += 1
            guard let row = try? table.next() else { continue }
            for (index, name) in table.names.enumerated() where values[index].count < Self.maxValues {
                guard let value = row[name].map({ String($0.trimmed) }), !value.isEmpty, !values[index].contains(value)
                else { continue }
                values[index].append(value)
            }
        }
        columns = zip(zip(table.names, fields), values).compactMap { column, values in
            guard !column.0.isEmpty, column.0.count <= ImportPlan.maxLength else { return nil }
            let shown = values.prefix(Self.shownValues).map { $0.shortened(to: Self.maxLength) }
            return Column(name: column.0, field: column.1, values: shown)
        }
        for (field, texts) in zip(fields, values) {
            guard let field = field.flatMap(ListingField.init(name:)), Self.choices.contains(field) else { continue }
            self.values += texts.filter { $0.count <= ImportPlan.maxLength }.map { text in
                Value(field: field, text: text, meaning: Self.meaning(text, field, plan))
            }
        }
    }

    private static func meaning(_ text: String, _ field: ListingField, _ plan: ImportPlan) -> String? {
        let text = plan.value(text, of: field.name) ?? text
        guard case .choice(let choices) = field.kind, let read = try? ListingTerms.value(field.name, text),
            case .string(let value) = read, choices.contains(value)
        else { return nil }
        return value
    }
}

extension String {
    fileprivate func shortened(to length: Int) -> String { count > length ? prefix(length - 1) + "…" : self }
}

/// The column names in the first line.
package struct CSVHeader: Equatable, Sendable {
    package let names: [String]
    private let positions: [String: Int]

    init(_ fields: [String], line: Int) throws(CSVError) {
        names = fields.map(\.trimmed)
        var positions: [String: Int] = [:]
        for (position, name) in names.enumerated() where !name.isEmpty {
            guard positions.updateValue(position, forKey: name) == nil else {
                throw CSVError(line: line, message: "the column \"\(name)\" appears twice")
            }
        }
        self.positions = positions
    }

    func position(of name: String) -> Int? {
        positions[name]
    }
}

/// A record after the header. It has as many fields as the header has names.
package struct CSVRow: Equatable, Sendable {
    /// The line on which the record begins. A record with line breaks in quoted fields spans several lines.
    package let line: Int
    package let header: CSVHeader
    package let fields: [String]

    /// Returns the field of a column, or nil if the column does not exist.
    package subscript(name: String) -> String? {
        header.position(of: name).map { fields[$0] }
    }
}

extension String {
    fileprivate var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}

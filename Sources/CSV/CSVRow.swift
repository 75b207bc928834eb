/// The names of the columns, from the first line.
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

/// One record below the header, with as many fields as the header has names.
package struct CSVRow: Equatable, Sendable {
    /// Where the record begins; it spans lines where a quoted field does.
    package let line: Int
    package let header: CSVHeader
    package let fields: [String]

    /// Nil where there is no such column.
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

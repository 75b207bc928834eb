import CSV
import Domain

/// The rows of a table that people wrote: titles may stand above the header, and columns may have the same name.
struct Table {
    /// A row with text, by the names of its columns.
    struct Row {
        /// Counted from 1, as the program shows it with which the file was written.
        let line: Int
        private let cells: [String]
        private let positions: [String: Int]

        fileprivate init(line: Int, cells: [String], _ positions: [String: Int]) {
            (self.line, self.cells, self.positions) = (line, cells, positions)
        }

        /// Returns the cell of a column; nil if the column does not exist.
        subscript(name: String) -> String? { positions[name].map { $0 < cells.count ? cells[$0] : "" } }
    }

    typealias Record = (line: Int, cells: [String])

    /// The rows among which the header is looked for.
    static let maxTitleRows = 20
    /// Programs with more columns are no lists of animals.
    static let maxColumns = 500

    let names: [String]
    private let positions: [String: Int]
    private let padsRows: Bool
    private let read: () throws -> Record?
    /// The rows behind the header that were read to find it, the last one first.
    private var waiting: [Result<Record, any Error>]

    /// - Parameters:
    ///   - isKnown: whether a text is the name of a column that can be read.
    ///   - padsRows: whether cells at the end of a row may be missing. In CSV, a short row is one with an unquoted line break.
    ///   - read: returns the next row, or nil at the end. After a `CSVError` that does not end the file, it goes on.
    init(isKnown: (String) -> Bool, padsRows: Bool, read: @escaping () throws -> Record?) throws {
        var first: [Result<Record, any Error>] = []
        while first.count < Self.maxTitleRows, let record = try Self.row(read) { first.append(record) }
        let rows = first.map { (try? $0.get().cells) ?? [] }
        guard let header = Self.header(rows, isKnown) else {
            throw ServiceError.invalid("file", "expected a header line with the names of the columns")
        }
        let cells = rows[header]
        guard cells.count <= Self.maxColumns else {
            throw ServiceError.invalid("file", "expected at most \(Self.maxColumns) columns")
        }
        names = Self.unique(cells.map { String($0.trimmed) })
        positions = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        (self.padsRows, self.read) = (padsRows, read)
        waiting = first[(header + 1)...].reversed()
    }

    /// A table whose columns are known.
    init(names: [String], read: @escaping () throws -> Record?) {
        self.names = names
        positions = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        (padsRows, self.read, waiting) = (true, read, [])
    }

    /// Returns the next row or its mistake, or nil at the end.
    private static func row(_ read: () throws -> Record?) throws -> Result<Record, any Error>? {
        do {
            return try read().map { .success($0) }
        } catch let error as CSVError where !error.endsFile {
            return .failure(error)
        }
    }

    /// Returns the next row that has any text, or nil at the end.
    mutating func next() throws -> Row? {
        while let (line, cells) = try waiting.popLast()?.get() ?? read() {
            guard cells.contains(where: { !$0.isEmpty }) else { continue }
            let isTooLong = cells.count > names.count && cells[names.count...].contains { !$0.isEmpty }
            guard !isTooLong, padsRows || cells.count >= names.count else {
                throw CSVError(line: line, message: "expected \(names.count) fields, found \(cells.count)")
            }
            return Row(line: line, cells: cells, positions)
        }
        return nil
    }

    /// Returns the position of the row with most known names; if there are none, of the first one that has nearly as many cells
    /// with text as any.
    private static func header(_ rows: [[String]], _ isKnown: (String) -> Bool) -> Int? {
        let known = rows.map { row in row.count { !$0.isEmpty && isKnown($0) } }
        if let most = known.max(), most > 0 { return known.firstIndex(of: most) }
        let filled = rows.map { row in row.count { !$0.isEmpty } }
        guard let most = filled.max(), most > 0 else { return nil }
        return filled.firstIndex { $0 * 3 >= most * 2 }
    }

    /// Numbers the second and further columns of one name: "Telefono", "Telefono (2)".
    private static func unique(_ names: [String]) -> [String] {
        var counts: [String: Int] = [:]
        return names.map { name in
            counts[name, default: 0] += 1
            let count = counts[name] ?? 1
            return name.isEmpty || count == 1 ? name : "\(name) (\(count))"
        }
    }
}

import Foundation
import GRDB
import SpatiaLite

/// Checks whether the full-text indexes contain the words of the indexed rows: every word of a column in the right
/// number of rows, and with the right number of occurrences.
///
/// SQLite's own check needs write access and cannot read the views that the indexes are built from. This check
/// therefore indexes the words again in a temporary database and compares the two vocabularies. It does not detect a
/// word that is indexed for another row of the same column.
struct TextCheck {
    private struct Index {
        let table: String
        let source: String
        let options: String
        /// The type of the `fts5vocab` table: by column if the index distinguishes columns.
        let kind: String
    }

    private static let latin = "detail = column, tokenize = 'unicode61 remove_diacritics 2'"
    private static let indexes = [
        Index(table: "board_text", source: "board_words", options: latin, kind: "col"),
        Index(table: "archive_text", source: "archive_words", options: latin, kind: "col"),
        Index(
            table: "place_text",
            source: "place",
            options: "detail = none, tokenize = 'unicode61 categories ''L* M* N* Co'''",
            kind: "row"
        ),
    ]

    /// Runs SQLite's own check of the internal structure of the indexes. It counts as a write although it writes
    /// nothing, and takes one to two seconds for a million listings.
    static func structure(of file: URL) throws -> [String] {
        guard access(file.path, W_OK) == 0 else { return [] }
        let queue = try DatabaseQueue(path: file.path, configuration: .spatiaLite())
        defer { try? queue.close() }
        return try indexes.flatMap { index -> [String] in
            var problems: [String] = []
            try queue.inTransaction { db in
                do {
                    try db.execute(sql: "INSERT INTO \(index.table) (\(index.table)) VALUES ('integrity-check')")
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                    problems = ["\(index.table) is damaged"]
                }
                return .rollback
            }
            return problems
        }
    }

    private let db: Database
    /// A temporary file, which SQLite deletes when the connection is closed: the words of a million listings are too
    /// many for the memory.
    private let scratch: DatabaseQueue

    init(_ db: Database) throws {
        self.db = db
        scratch = try DatabaseQueue(path: "", configuration: .spatiaLite())
    }

    func problems() throws -> [String] { try Self.indexes.flatMap(problems) + unknownWords() }

    private func problems(_ index: Index) throws -> [String] {
        try fill(index)
        return try scratch.read { scratch in
            let wanted = try PreparedStatement(scratch, "SELECT * FROM words", isKept: false)
            try makeVocabulary(index.table, index.kind)
            defer { dropVocabulary() }
            let found = try PreparedStatement(db, "SELECT * FROM temp.words", isKept: false)
            let different = try Self.differences(wanted, found, columns: index.kind == "col" ? 4 : 3)
            return (different + (try unfound(index))).map {
                "\(index.table): '\($0)' is not found where it stands, or where it does not"
            }
        }
    }

    /// Returns words that are in the vocabulary of the index but that a search does not find.
    private func unfound(_ index: Index) throws -> [String] {
        let search = try db.makeStatement(sql: "SELECT 1 FROM \(index.table) WHERE \(index.table) MATCH ? LIMIT 1")
        let terms = try String.fetchCursor(db, sql: "SELECT DISTINCT term FROM temp.words")
        var words: [String] = []
        while words.count < 20, let term = try terms.next() {
            if try Int.fetchOne(search, arguments: ["\"\(term)\""]) == nil { words.append(term) }
        }
        return words
    }

    private func fill(_ index: Index) throws {
        let names = try db.columns(in: index.table).map(\.name)
        let columns = names.joined(separator: ", ")
        try scratch.write { scratch in
            try scratch.execute(
                sql: """
                    DROP TABLE IF EXISTS words;
                    DROP TABLE IF EXISTS again;
                    CREATE VIRTUAL TABLE again USING fts5 (\(columns), content = '', columnsize = 0, \(index.options));
                    CREATE VIRTUAL TABLE words USING fts5vocab (again, \(index.kind));
                    """
            )
            let blanks = Array(repeating: "?", count: names.count + 1).joined(separator: ", ")
            let insert = try scratch.makeStatement(sql: "INSERT INTO again (rowid, \(columns)) VALUES (\(blanks))")
            let rows = try Row.fetchCursor(db, sql: "SELECT id, \(columns) FROM \(index.source)")
            while let row = try rows.next() { try insert.execute(arguments: StatementArguments(row.databaseValues)) }
        }
    }

    /// Returns the words that occur in only one of two sorted lists, at most twenty.
    private static func differences(
        _ wanted: borrowing PreparedStatement,
        _ found: borrowing PreparedStatement,
        columns: CInt
    ) throws -> [String] {
        func next(_ scan: borrowing PreparedStatement) throws -> [String]? {
            try scan.next() ? (0..<columns).map { scan.row.string($0) ?? "" } : nil
        }
        var (left, right) = (try next(wanted), try next(found))
        var words: [String] = []
        while words.count < 20, left != nil || right != nil {
            if left == right {
                (left, right) = (try next(wanted), try next(found))
                continue
            }
            // SQLite sorts by bytes.
            let isFirst =
                right.map { other in left.map { $0[0].utf8.lexicographicallyPrecedes(other[0].utf8) } ?? false } ?? true
            let isSame = left?[0] == right?[0]
            if let word = (isFirst ? left : right)?[0], words.last != word { words.append(word) }
            if isFirst || isSame { left = try next(wanted) }
            if !isFirst || isSame { right = try next(found) }
        }
        return words
    }

    /// Every word of the names of places must be in `place_word`, the list with which misspelt words are compared.
    private func unknownWords() throws -> [String] {
        try makeVocabulary("place_text", "row")
        defer { dropVocabulary() }
        return try String.fetchAll(
            db,
            sql: "SELECT term FROM temp.words WHERE term NOT IN (SELECT word FROM place_word) LIMIT 20"
        ).map { "place_word: '\($0)' is missing" }
    }

    private func makeVocabulary(_ table: String, _ kind: String) throws {
        try db.execute(sql: "CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, \(table), \(kind))")
    }

    private func dropVocabulary() { try? db.execute(sql: "DROP TABLE temp.words") }
}

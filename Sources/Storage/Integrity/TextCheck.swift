import Foundation
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
        let database = try StandaloneDatabase(file)
        defer { try? database.close() }
        return try indexes.flatMap { index -> [String] in
            try database.run { db in
                try db.execute("BEGIN")
                defer { _ = try? db.execute("ROLLBACK") }
                do {
                    try db.execute("INSERT INTO \(index.table) (\(index.table)) VALUES ('integrity-check')")
                } catch  where SQLFailure(error)?.isDamage == true {
                    return ["\(index.table) is damaged"]
                }
                return []
            }
        }
    }

    private let db: SQLConnection
    /// A temporary file, which SQLite deletes when the connection is closed: the words of a million listings are too
    /// many for the memory.
    private let scratch: StandaloneDatabase

    init(_ db: SQLConnection) throws {
        self.db = db
        scratch = try .temporary()
    }

    func problems() throws -> [String] { try Self.indexes.flatMap(problems) + unknownWords() }

    private func problems(_ index: Index) throws -> [String] {
        try fill(index)
        return try scratch.run { scratch in
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
        let search = "SELECT 1 FROM \(index.table) WHERE \(index.table) MATCH ? LIMIT 1"
        let terms = try PreparedStatement(db, "SELECT DISTINCT term FROM temp.words", isKept: false)
        var words: [String] = []
        while words.count < 20, try terms.next() {
            let term: String = try terms.row[0]
            if try !db.exists(search, ["\"\(term)\""]) { words.append(term) }
        }
        return words
    }

    private func fill(_ index: Index) throws {
        let names: [String] = try db.values("SELECT name FROM pragma_table_info(?)", [index.table])
        let columns = names.joined(separator: ", ")
        try scratch.write { scratch in
            try scratch.run(
                script: """
                    DROP TABLE IF EXISTS words;
                    DROP TABLE IF EXISTS again;
                    CREATE VIRTUAL TABLE again USING fts5 (\(columns), content = '', columnsize = 0, \(index.options));
                    CREATE VIRTUAL TABLE words USING fts5vocab (again, \(index.kind));
                    """
            )
            let blanks = Array(repeating: "?", count: names.count + 1).joined(separator: ", ")
            let insert = try PreparedStatement(scratch, "INSERT INTO again (rowid, \(columns)) VALUES (\(blanks))")
            let scan = try PreparedStatement(db, "SELECT id, \(columns) FROM \(index.source)")
            while try scan.next() { try insert.run((0...CInt(names.count)).map(scan.row.value)) }
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
        return try
            (db.values("SELECT term FROM temp.words WHERE term NOT IN (SELECT word FROM place_word) LIMIT 20")
            as [String]).map { "place_word: '\($0)' is missing" }
    }

    private func makeVocabulary(_ table: String, _ kind: String) throws {
        try db.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, \(table), \(kind))")
    }

    private func dropVocabulary() { _ = try? db.execute("DROP TABLE temp.words") }
}

import Foundation
import SQL
import SpatiaLite

/// Checks whether the full-text indexes contain the words of the indexed rows: every word of a column in the right
/// number of rows, and with the right number of occurrences.
///
/// SQLite's own check needs write access and cannot read the views that the indexes are built from. This check
/// therefore splits the texts into words itself and compares the sums of their hashes with those of the vocabulary of
/// the index. If they differ, it indexes the words again in a temporary table to name the words. It does not detect a
/// word that is indexed for another row of the same column.
struct TextCheck {
    private struct Index {
        let table: String
        let source: String
        let options: String
        /// The type of the `fts5vocab` table: by column if the index distinguishes columns.
        let kind: String
        let option: (name: String, value: String)

        var isByColumn: Bool { kind == "col" }
    }

    private static let latin = "detail = column, tokenize = 'unicode61 remove_diacritics 2'"
    private static let latinOption = ("remove_diacritics", "2")
    private static let placeOption = ("categories", "L* M* N* Co")
    private static let indexes = [
        Index(table: "board_text", source: "board_words", options: latin, kind: "col", option: latinOption),
        Index(table: "archive_text", source: "archive_words", options: latin, kind: "col", option: latinOption),
        Index(
            table: "place_text",
            source: "place",
            options: "detail = none, tokenize = 'unicode61 categories ''L* M* N* Co'''",
            kind: "row",
            option: placeOption
        ),
    ]

    /// Runs SQLite's own check of the internal structure of the indexes. It counts as a write although it writes nothing,
    /// so it checks a copy of the indexes in a temporary database: nobody has to wait for it.
    static func structure(_ db: SQLConnection) throws -> [String] {
        try indexes.flatMap { index -> [String] in
            let scratch = try StandaloneDatabase.temporary()
            defer { try? scratch.close() }
            return try scratch.run { scratch in
                try copy(index, from: db, to: scratch)
                do {
                    try scratch.execute("INSERT INTO \(index.table) (\(index.table)) VALUES ('integrity-check')")
                } catch  where SQLFailure(error)?.isDamage == true {
                    return ["\(index.table) is damaged"]
                }
                return []
            }
        }
    }

    /// Copies the tables in which FTS5 stores the index.
    private static func copy(_ index: Index, from db: SQLConnection, to scratch: SQLConnection) throws {
        let sql: String? = try db.value("SELECT sql FROM sqlite_schema WHERE name = ?", [index.table])
        guard let sql else { throw UnreadableRow("no table \(index.table)") }
        try scratch.run(script: sql)
        for table in ["data", "idx", "docsize", "config"].map({ "\(index.table)_\($0)" }) {
            let scan = try PreparedStatement(db, "SELECT * FROM \(table)", isKept: false)
            let count = scan.row.columnCount
            let blanks = Array(repeating: "?", count: Int(count)).joined(separator: ", ")
            try scratch.execute("DELETE FROM \(table)")
            let insert = try PreparedStatement(scratch, "INSERT INTO \(table) VALUES (\(blanks))", isKept: false)
            while try scan.next() { try insert.run((0..<count).map(scan.row.value)) }
        }
    }

    private let db: SQLConnection

    /// - Parameter db: a connection of its own, on which the check creates temporary tables. They should be in a file: the
    ///   words of a million listings are too many for the memory.
    init(_ db: SQLConnection) throws {
        self.db = db
        try prepareWords()
    }

    /// Makes temporary copies of the views of words that read the zones of listings from a table. The views evaluate the
    /// zone of a listing seven times.
    private func prepareWords() throws {
        try db.run(
            script: """
                CREATE TEMP TABLE listing_zone (id INTEGER PRIMARY KEY, zone INTEGER);
                INSERT INTO temp.listing_zone SELECT id, zone FROM main.listing_zone;
                """
        )
        for view in ["listing_tags", "board_words", "archive_words"] {
            let sql: String? = try db.value(
                "SELECT sql FROM main.sqlite_schema WHERE type = 'view' AND name = ?",
                [view]
            )
            guard let sql, sql.hasPrefix("CREATE VIEW ") else { throw UnreadableRow("no view \(view)") }
            try db.run(script: "CREATE TEMP VIEW " + sql.dropFirst("CREATE VIEW ".count))
        }
    }

    func problems() throws -> [String] {
        // Misspelt words are compared with the list `place_word`.
        let missing = "SELECT term FROM temp.words WHERE term NOT IN (SELECT word FROM place_word)"
        return try Self.indexes.flatMap(problems)
            + withVocabulary("place_text", "row") {
                try DatabaseCheck.problems("place_word: '#' is missing", missing, db)
            }
    }

    private func problems(_ index: Index) throws -> [String] {
        try withVocabulary(index.table, index.kind) {
            let isSame = try sumOfTexts(index) == sumOfVocabulary(index)
            return try (isSame ? [] : differentWords(index)) + unfoundWords(index)
        }.map { "\(index.table): '\($0)' is not found where it stands, or where it does not" }
    }

    /// Runs `body` while `temp.words` is the vocabulary of an index.
    private func withVocabulary(_ table: String, _ kind: String, _ body: () throws -> [String]) throws -> [String] {
        try db.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, \(table), \(kind))")
        defer { _ = try? db.execute("DROP TABLE temp.words") }
        return try body()
    }

    /// Returns the sum of the hashes of the words of each row, and of each column if the index distinguishes columns.
    private func sumOfTexts(_ index: Index) throws -> UInt64 {
        let names = try columns(index)
        let tokenizer = try TextTokenizer(option: index.option.name, index.option.value, db)
        let scan = try PreparedStatement(
            db,
            "SELECT \(names.joined(separator: ", ")) FROM \(index.source)",
            isKept: false
        )
        var sum: UInt64 = 0
        var words: Set<UInt64> = []
        while try scan.next() {
            for column in names.indices {
                if let text = scan.row.text(CInt(column)) { tokenizer.insertTokens(of: text, into: &words) }
                guard index.isByColumn || column == names.count - 1 else { continue }
                for word in words { sum &+= Self.hash(word, index.isByColumn ? column : 0) }
                words.removeAll(keepingCapacity: true)
            }
        }
        return sum
    }

    private func sumOfVocabulary(_ index: Index) throws -> UInt64 {
        let numbers = Dictionary(uniqueKeysWithValues: try columns(index).enumerated().map { ($1, $0) })
        let list = index.isByColumn ? "term, doc, col" : "term, doc"
        let scan = try PreparedStatement(db, "SELECT \(list) FROM temp.words", isKept: false)
        var sum: UInt64 = 0
        while try scan.next() {
            guard let term = scan.row.text(0) else { continue }
            let column = index.isByColumn ? scan.row.string(2).flatMap { numbers[$0] } ?? numbers.count : 0
            let hash = Self.hash(TextTokenizer.hash(UnsafeRawBufferPointer(term)), column)
            sum &+= hash &* UInt64(bitPattern: scan.row.integer(1))
        }
        return sum
    }

    /// Combines the hash of a word and a column (SplitMix64).
    private static func hash(_ word: UInt64, _ column: Int) -> UInt64 {
        var z = word &+ UInt64(column) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        return z ^ (z >> 27)
    }

    private func columns(_ index: Index) throws -> [String] {
        try db.values("SELECT name FROM pragma_table_info(?)", [index.table])
    }

    /// Returns words that are in the vocabulary of the index but that a search does not find.
    private func unfoundWords(_ index: Index) throws -> [String] {
        let search = "SELECT 1 FROM \(index.table) WHERE \(index.table) MATCH ? LIMIT 1"
        let terms = try PreparedStatement(db, "SELECT DISTINCT term FROM temp.words", isKept: false)
        var words: [String] = []
        while words.count < 20, try terms.next() {
            let term: String = try terms.row[0]
            if try !db.exists(search, ["\"\(term)\""]) { words.append(term) }
        }
        return words
    }

    /// Indexes the words again, and returns those that occur otherwise, at most twenty.
    private func differentWords(_ index: Index) throws -> [String] {
        let columns = try columns(index).joined(separator: ", ")
        try db.run(
            script: """
                CREATE VIRTUAL TABLE temp.again USING fts5 (\(columns), content = '', columnsize = 0, \(index.options));
                CREATE VIRTUAL TABLE temp.wanted USING fts5vocab (temp, again, \(index.kind));
                INSERT INTO temp.again (rowid, \(columns)) SELECT id, \(columns) FROM \(index.source);
                """
        )
        defer { try? db.run(script: "DROP TABLE temp.wanted; DROP TABLE temp.again") }
        return try db.values(
            """
            SELECT DISTINCT term FROM (
                SELECT * FROM (SELECT * FROM temp.words EXCEPT SELECT * FROM temp.wanted)
                UNION ALL SELECT * FROM (SELECT * FROM temp.wanted EXCEPT SELECT * FROM temp.words))
            LIMIT 20
            """
        )
    }
}

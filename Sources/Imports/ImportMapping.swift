import Domain

/// The meanings of the columns of a kind of file.
package struct ImportMapping: Sendable {
    /// The mappings that imports can name.
    package enum Name: String, CaseIterable, Sendable {
        /// Decides by the columns.
        case auto
        /// The board of another service with this program.
        case doggofinder
        /// Animal Shelter Manager 3.
        case asm3
        /// Files of boards for lost animals, with columns in any language of the program.
        case petfbi
        /// Intakes and outcomes of a shelter, as Shelterluv, PetPoint, Chameleon, RescueGroups, Petfinder, the open data of cities
        /// and Italian registries have them.
        case shelter
    }

    /// Fields by the folded names of columns. Of several columns for a field, the first that is not empty counts.
    let columns: [(column: String, field: String)]
    /// Columns that are added to the marks, with their labels.
    let marks: [(column: String, label: String)]
    /// Columns that are understood but not imported.
    let ignored: Set<String>
    /// Columns that are not read although they have the names of fields.
    var hidden: Set<String> = []
    /// Whether `complete` looks at the other columns of a row.
    var needsRow = false
    /// Whether columns with unknown names are guessed by a word of the name.
    var guesses = false
    /// Whether the rows are listings of a service with this program.
    var isBoard = false
    /// Whether columns are read into the record of an animal.
    var hasRecords = true
    /// Completes the fields by the values of all columns, by their folded names.
    let complete: @Sendable (_ fields: inout [String: JSONValue], _ row: [String: String]) -> Void

    /// The folded names of all columns that some mapping understands.
    static let knownColumns: Set<String> = [board, asm3, shelter, registry].reduce(into: []) { names, mapping in
        names.formUnion(mapping.columns.map(\.column))
        names.formUnion(mapping.marks.map(\.column))
        names.formUnion(mapping.ignored)
    }

    /// Returns the mapping for a file with these columns.
    static func mapping(_ name: Name, for columns: [String]) -> ImportMapping {
        switch name {
        case .doggofinder: .doggofinder
        case .asm3: .asm3
        case .petfbi: .board
        case .shelter: isRegistry(Set(columns.map(\.folded))) ? .registry : .shelter
        case .auto: recognised(Set(columns.map(\.folded)))
        }
    }

    private static func recognised(_ columns: Set<String>) -> ImportMapping {
        if boardColumns.isSubset(of: columns) { return .doggofinder }
        if !asm3Columns.isDisjoint(with: columns) { return .asm3 }
        if !shelterColumns.isDisjoint(with: columns) { return .shelter }
        if columns.isSuperset(of: vancouverColumns), columns.isDisjoint(with: statusColumns) { return .vancouver }
        return isRegistry(columns) ? .registry : .board
    }

    /// Only the names of fields and their aliases.
    static let plain = ImportMapping(columns: [], marks: [], ignored: []) { _, _ in }

    static let board = ImportMapping(
        columns: columns("column"),
        marks: ImportWords.meanings("mark").map { ($0.word, $0.meaning) },
        ignored: ImportWords.words("ignored"),
        guesses: true
    ) { _, _ in }

    /// Returns the field that a column with an unknown name probably has: "Tel. canile", "Data entrata".
    static func guess(_ column: String) -> String? {
        let words = Set(column.folded.split(separator: " ").map(String.init))
        guard words.count <= maxGuessedWords, words.isDisjoint(with: others),
            let found = guessed.first(where: { !words.isDisjoint(with: $0.words) })
        else { return nil }
        // Columns with the numbers, addresses and names of persons must not be published by a guess.
        let isPersonal = ["contact_phone", "contact_email", "whereabouts", "name"].contains(found.meaning)
        return !isPersonal || words.isSubset(of: found.words.union(impersonal)) ? found.meaning : nil
    }

    /// Longer names are titles or questions.
    private static let maxGuessedWords = 4

    /// Words that say that a column is not about a person.
    private static let impersonal = ImportWords.words("impersonal")

    /// Words of columns about adoptions, births and treatments, which are not what a listing says of the animal.
    private static let others = ImportWords.words("other")

    /// Fields by words of names of columns, those that decide first.
    private static let guessed = ImportWords.groups("word")

    /// The columns that say what a listing is, in files of boards.
    static let statusColumns = Set(board.columns.filter { $0.field == "status" }.map(\.column))
        .union(ImportWords.meanings("word").filter { $0.meaning == "status" }.map(\.word))
}

extension ImportMapping {
    static func columns(_ kind: String) -> [(column: String, field: String)] {
        ImportWords.meanings(kind).map { ($0.word, $0.meaning) }
    }

    /// The mapping of a program whose columns are in the tables. Some cities write the names without spaces: `AnimalID`.
    init(
        _ program: String,
        complete: @escaping @Sendable (_ fields: inout [String: JSONValue], _ row: [String: String]) -> Void
    ) {
        let columns = Self.columns("\(program)_field")
        let runTogether = columns.filter { $0.column.contains(" ") }.map { ($0.column.filter { $0 != " " }, $0.field) }
        self.init(
            columns: columns + runTogether,
            marks: ImportWords.meanings("\(program)_mark").map { ($0.word, $0.meaning) },
            ignored: ImportWords.words("\(program)_ignored"),
            hidden: ImportWords.words("\(program)_hidden"),
            needsRow: true,
            complete: complete
        )
    }
}

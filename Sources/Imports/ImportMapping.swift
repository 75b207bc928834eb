import Domain

/// What the columns of a kind of file mean.
package struct ImportMapping: Sendable {
    /// The mappings that imports can name.
    package enum Name: String, CaseIterable, Sendable {
        /// Decides by the columns.
        case auto
        /// The board of another service with this program.
        case doggofinder
        /// Animal Shelter Manager 3.
        case asm3
        /// Files of boards for lost animals, with Italian or English columns.
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
        columns: fields([
            "reference": [
                "report id", "report number", "case number", "id annuncio", "codice annuncio", "numero annuncio",
                "scheda", "numero scheda",
            ],
            "status": [
                "report type", "tipo annuncio", "tipologia", "tipo segnalazione", "tipo", "lost or found", "lost found",
            ],
            "species": ["animal type", "type of animal", "tipo animale"],
            "name": ["nome animale", "nome cane", "nome del cane", "pet name", "animal name"],
            "breed": ["primary breed", "animal breed", "razza presunta"],
            "sex": ["gender", "genere"],
            "colour": ["colori", "colore mantello", "colors", "primary color", "animal color"],
            "age": ["eta presunta", "eta approssimativa", "age group"],
            "microchip": ["n microchip", "nr microchip", "microchip number", "chip number"],
            "marks": ["distinguishing features", "markings", "identifying marks"],
            "collar": ["collar description"],
            "description": ["dettagli", "comments", "circumstances", "circostanze", "altre informazioni"],
            "last_seen_at": [
                "date lost", "date found", "lost date", "found date", "date lost found", "date seen", "data scomparsa",
                "data avvistamento", "data evento", "data rinvenimento",
            ],
            "place": [
                "luogo", "luogo smarrimento", "luogo ritrovamento", "luogo avvistamento", "comune smarrimento",
                "citta smarrimento", "location", "place lost", "area lost", "area found",
            ],
            "contact_name": ["contact", "contact person", "nome proprietario", "nome contatto", "owner name"],
            "contact_phone": ["tel", "numero telefono", "numero di telefono", "telephone", "cell", "phone number"],
            "contact_email": ["indirizzo email", "email address", "posta elettronica"],
        ]),
        marks: [
            ("pelo", "pelo"), ("tipo pelo", "pelo"), ("lunghezza pelo", "pelo"), ("coat", "coat"),
            ("coat length", "coat"), ("occhi", "occhi"), ("eye color", "eyes"), ("coda", "coda"),
            ("orecchie", "orecchie"), ("peso", "peso"), ("weight", "weight"), ("carattere", "carattere"),
            ("comportamento", "carattere"), ("temperament", "temperament"), ("behaviour", "temperament"),
            ("behavior", "temperament"), ("sterilizzato", "sterilizzato"), ("sterilizzata", "sterilizzato"),
            ("castrato", "sterilizzato"), ("neutered", "neutered"), ("spayed", "neutered"),
            ("spayed neutered", "neutered"),
        ],
        ignored: [
            "provincia", "prov", "regione", "cap", "state", "zip", "county",
        ],
        guesses: true
    ) { _, _ in }

    /// Returns the field that a column with an unknown name probably has: "Tel. canile", "Data entrata".
    static func guess(_ column: String) -> String? {
        let words = Set(column.folded.split(separator: " ").map(String.init))
        guard words.count <= maxGuessedWords, words.isDisjoint(with: others),
            let found = guessed.first(where: { !words.isDisjoint(with: $0.words) })
        else { return nil }
        // Columns with the numbers, addresses and names of persons must not be published by a guess.
        let isPersonal = ["contact_phone", "contact_email", "whereabouts", "name"].contains(found.field)
        return !isPersonal || words.isSubset(of: found.words.union(impersonal)) ? found.field : nil
    }

    /// Longer names are titles or questions.
    private static let maxGuessedWords = 4

    /// Words that say that a column is not about a person.
    private static let impersonal: Set<String> = [
        "canile", "rifugio", "gattile", "shelter", "kennel", "pound", "struttura", "contatto", "contact", "cane",
        "gatto",
        "animale", "dog", "cat", "animal", "pet", "ritrovamento", "cattura", "found", "n", "nr", "numero", "number",
        "di",
        "del", "dell", "of", "the",
    ]

    /// Words of columns about adoptions, births and treatments, which are not what a listing says of the animal.
    private static let others: Set<String> = [
        "proprietario", "proprietaria", "owner", "adottante", "adopter", "adozione", "adoption", "nascita", "birth",
        "dob", "uscita", "outcome", "vaccino", "vaccine", "vaccinazione", "sterilizzazione", "sterilizzato", "foto",
        "photo", "padre", "madre", "intestatario", "veterinario", "vet",
    ]

    /// Fields by words of names of columns, those that decide first.
    private static let guessed: [(field: String, words: Set<String>)] = [
        ("contact_phone", ["telefono", "tel", "cellulare", "cell", "phone", "telephone", "mobile"]),
        ("contact_email", ["email", "mail"]), ("microchip", ["microchip", "chip"]),
        ("last_seen_at", ["data", "date"]), ("status", ["stato", "situazione", "status", "esito"]),
        ("reference", ["scheda", "codice", "matricola", "riferimento", "reference"]),
        ("place", ["comune", "citta", "paese", "localita", "luogo", "town", "city", "location"]),
        ("whereabouts", ["indirizzo", "via", "address", "street"]), ("breed", ["razza", "breed"]),
        ("sex", ["sesso", "sex", "gender"]), ("size", ["taglia", "size"]),
        ("colour", ["mantello", "colore", "color", "colour"]), ("age", ["eta", "age"]),
        ("species", ["specie", "species"]), ("name", ["nome", "name"]),
        ("description", ["note", "notes", "descrizione", "description", "comments", "commenti"]),
    ]

    /// The columns that say what a listing is, in files of boards.
    static let statusColumns = Set(board.columns.filter { $0.field == "status" }.map(\.column))
        .union(["status", "stato", "situazione", "esito"])

    static func fields(_ names: KeyValuePairs<String, [String]>) -> [(column: String, field: String)] {
        names.flatMap { field, columns in columns.map { ($0, field) } }
    }
}

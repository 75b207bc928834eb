import Domain

/// Tables without a column for the status: those of animals in Italian shelters with the columns of the registry (anagrafe degli
/// animali d'affezione), and the open data of Vancouver.
extension ImportMapping {
    /// The columns of which one is there beside the microchip.
    private static let registryColumns = ImportWords.words("registry_sign")

    static func isRegistry(_ columns: Set<String>) -> Bool {
        columns.contains { $0.contains("microchip") } && !registryColumns.isDisjoint(with: columns)
            && columns.isDisjoint(with: statusColumns)
    }

    static let registry = ImportMapping(
        columns: columns("registry_field") + board.columns,
        marks: board.marks,
        ignored: board.ignored.union(ImportWords.words("registry_ignored")),
        needsRow: true,
        guesses: true
    ) { fields, row in
        guard fields["status"] == nil else { return }
        func hasText(_ words: Set<String>) -> String? {
            row.first { name, value in
                !value.isEmpty && !words.isDisjoint(with: name.split(separator: " ").map(String.init))
            }?.value.folded
        }
        let outcomes = ["motivo uscita", "tipo uscita", "causale uscita", "destinazione"].compactMap { row[$0]?.folded }
        let isHome =
            hasText(["restituzione"]) != nil || outcomes.contains { $0.hasPrefix("restitu") || $0.hasPrefix("reso ") }
        let hasLeft = hasText(["uscita", "decesso", "adozione"]) != nil
        fields["status"] = .string(isHome ? "reunited" : hasLeft ? "closed" : "found")
    }

    /// The columns of https://opendata.vancouver.ca, `animal-control-inventory-lost-and-found`.
    static let vancouverColumns: Set<String> = ["breed", "color", "date", "name", "sex", "state"]

    static let vancouver = ImportMapping(
        columns: [("state", "status")],
        marks: [],
        ignored: ["datecreated"],
        needsRow: true
    ) { fields, _ in
        // Lost, found, or found again by their people.
        if fields["status"] == "Matched" { fields["status"] = "reunited" }
        guard case .string(let breed)? = fields["breed"], fields["species"] == nil else { return }
        // "Cat - DSH Tabby", "Bird - Lovebird", "Siamese"; breeds of dogs stand alone.
        let words = breed.folded.split(separator: " ").map(String.init)
        let isCat = !cats.isDisjoint(with: words)
        guard isCat || words.first.map(otherSpecies.contains) == true else { return }
        fields["species"] = .string(isCat ? "cat" : "other")
        if words.first == "cat", let rest = breed.firstIndex(of: "-") {
            fields["breed"] = .string(String(breed[breed.index(after: rest)...].trimmed))
        }
    }

    /// Words of breeds and coats of cats.
    private static let cats: Set<String> = [
        "cat", "kitten", "dsh", "dmh", "dlh", "dsc", "domestic", "tabby", "tabbie", "tortie", "calico", "tuxedo",
        "siamese",
        "persian", "himalayan", "bengal", "burmese", "sphynx", "manx", "abyssinian", "ragdoll", "coon", "shorthair",
    ]

    private static let otherSpecies: Set<String> = [
        "bird", "rabbit", "ferret", "turtle", "guinea", "hamster", "snake", "parrot",
    ]
}

import Domain

/// Exports of programs and cities whose rows are intakes and outcomes of a shelter: Shelterluv, PetPoint, RescueGroups and
/// Petfinder (columns as `shelterluv.py`, `petpoint.py`, `rescuegroups.py` and `petfinder.py` of
/// https://github.com/sheltermanager/asm3 read them), and the open data of Austin, Dallas, Long Beach and Sonoma.
extension ImportMapping {
    /// Columns that other files do not have.
    static let shelterColumns: Set<String> = [
        "intake type", "outcome type", "petfinder systemid", "kennel card web site memo", "color general",
        "general age",
    ]

    static let shelter = ImportMapping(
        columns: fields([
            "reference": ["animal id", "petfinder systemid", "impound number"],
            "name": ["animal name"],
            "species": ["animal type", "type"],
            "breed": ["primary breed", "animal breed"],
            "sex": ["gender", "sex upon intake"],
            "size": ["size potential general"],
            "colour": ["primary color", "color general"],
            "age": ["age group", "general age", "age upon intake"],
            "microchip": ["microchip number", "chip number"],
            "marks": ["distinguishing markings"],
            "description": ["kennel card web site memo", "description no html"],
            "last_seen_at": ["intake date", "received date", "arrival date", "datetime", "created date"],
            "place": ["found location"],
            "whereabouts": ["crossing"],
        ]),
        marks: [("coat length", "coat"), ("altered", "neutered"), ("current weight", "weight"), ("weight", "weight")],
        ignored: [
            "intake type", "intake subtype", "intake sub type", "intake condition", "outcome type", "outcome subtype",
            "outcome date", "secondary breed", "2nd breed", "mixed", "mixed breed", "secondary color", "arn",
            "internal",
            "internal id", "date of birth", "dob", "monthyear", "jurisdiction",
        ],
        // Of persons and kennels, although fields have these names.
        hidden: [
            "status", "location", "city", "province", "state", "zip code", "zip", "postal code", "address", "street",
            "email", "phone", "phone number", "contact", "comments", "notes",
        ],
        needsRow: true
    ) { fields, row in
        func text(_ names: String...) -> String { names.lazy.compactMap { row[$0] }.first { !$0.isEmpty } ?? "" }
        if fields["status"] == nil {
            let status = status(
                outcome: text("outcome type").folded,
                intake: text("intake type").folded,
                state: text("status").folded
            )
            fields["status"] = status.map(JSONValue.string)
        }
        let second = text("secondary breed", "2nd breed")
        if case .string(let breed)? = fields["breed"] {
            let isMixed = ["yes", "true", "y", "1"].contains(text("mixed", "mixed breed").folded)
            if !second.isEmpty, second != breed {
                fields["breed"] = .string("\(breed) / \(second)")
            } else if isMixed, !breed.folded.contains("mix") {
                fields["breed"] = .string("\(breed) mix")
            }
        }
        let colour = text("secondary color")
        if !colour.isEmpty, case .string(let first)? = fields["colour"] {
            fields["colour"] = .string("\(first)/\(colour)")
        }
    }

    /// A stray is found until it has an outcome. Animals that their people brought, or that another shelter had, are nobody's
    /// lost ones: they are closed. Nil if the row says neither; then its sender is asked.
    private static func status(outcome: String, intake: String, state: String) -> String? {
        let isHome = outcome.hasPrefix("return") && outcome.contains("to owner")
        if isHome || outcome.contains("reclaim") || outcome == "rto" { return "reunited" }
        if outcome.contains("stolen") || state == "stolen" || state == "escaped" { return "lost" }
        let isGone = ["adopted", "transferred", "passed away", "euthanized", "deleted"].contains(state)
        if !outcome.isEmpty || isGone { return "closed" }
        if intake.contains("stray") || intake.contains("found") { return "found" }
        return intake.isEmpty ? nil : "closed"
    }
}

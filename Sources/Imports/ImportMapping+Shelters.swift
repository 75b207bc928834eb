import Domain

/// Exports of programs and cities whose rows are intakes and outcomes of a shelter: Shelterluv, PetPoint, Chameleon, RescueGroups and
/// Petfinder (columns as `shelterluv.py`, `petpoint.py`, `rescuegroups.py` and `petfinder.py` of
/// https://github.com/sheltermanager/asm3 read them), and the open data of Austin, Bloomington, Dallas, Long Beach,
/// Louisville and Sonoma.
extension ImportMapping {
    /// Columns that other files do not have.
    static let shelterColumns: Set<String> = [
        "intake type", "intaketype", "outcome type", "outcometype", "petfinder systemid", "kennel card web site memo",
        "color general",
        "general age",
    ]

    static let shelter = ImportMapping(
        columns: runTogether(
            fields([
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
            ])),
        marks: [("coat length", "coat"), ("altered", "neutered"), ("current weight", "weight"), ("weight", "weight")],
        ignored: [
            "intake condition", "outcome condition", "secondarybreed", "secondarycolor", "days in shelter", "count",
            "intake jurisdiction", "outcome jurisdiction", "outcome zip code", "chip status", "kennel status",
            "tag type",
            "activity number", "activity sequence", "source id", "census tract", "council district", "intake total",
            "reason",
            "staff id", "intake time", "due out", "hold request", "outcome time", "receipt number", "impound number",
            "service request number", "animal origin", "additional information", "month", "year", "geopoint",
            "intake is dead", "outcome is dead", "was outcome alive", "intakeinternalstatus", "intakeasilomarstatus",
            "reproductivestatusatintake", "outcomeinternalstatus", "outcomeasilomarstatus",
            "reproductivestatusatoutcome",
            "outcomereason", "secondary breed", "2nd breed", "mixed", "mixed breed", "secondary color", "arn",
            "internal",
            "internal id", "date of birth", "dob", "monthyear", "jurisdiction",
        ],
        // These columns describe persons and kennels, although fields have these names.
        hidden: [
            "status", "location", "city", "province", "state", "zip code", "zip", "postal code", "address", "street",
            "email", "phone", "phone number", "contact", "comments", "notes",
        ],
        needsRow: true
    ) { fields, row in
        func text(_ names: String...) -> String { names.lazy.compactMap { row[$0] }.first { !$0.isEmpty } ?? "" }
        if fields["status"] == nil {
            let status = status(
                outcome: text("outcome type", "outcometype").folded,
                intake: text("intake type", "intaketype").folded,
                state: text("status").folded
            )
            fields["status"] = status.map(JSONValue.string)
        }
        let second = text("secondary breed", "2nd breed", "secondarybreed")
        if case .string(let breed)? = fields["breed"] {
            let isMixed = ["yes", "true", "y", "1"].contains(text("mixed", "mixed breed").folded)
            if !second.isEmpty, second != breed {
                fields["breed"] = .string("\(breed) / \(second)")
            } else if isMixed, !breed.folded.contains("mix") {
                fields["breed"] = .string("\(breed) mix")
            }
        }
        let colour = text("secondary color", "secondarycolor")
        if !colour.isEmpty, case .string(let first)? = fields["colour"] {
            fields["colour"] = .string("\(first)/\(colour)")
        }
    }

    /// Adds the names without spaces, as some cities write them: `AnimalID`, `IntakeType`.
    private static func runTogether(_ columns: [(column: String, field: String)]) -> [(column: String, field: String)] {
        columns + columns.filter { $0.column.contains(" ") }.map { ($0.column.filter { $0 != " " }, $0.field) }
    }

    /// A stray is found until it has an outcome. Animals that their people brought, or that another shelter had, are nobody's
    /// lost ones: they are closed. Nil if the row says neither; then its sender is asked.
    static func status(outcome: String, intake: String, state: String) -> String? {
        let isHome = outcome.hasPrefix("return") && outcome.contains("to owner")
        if isHome || outcome.contains("reclaim") || outcome == "rto" { return "reunited" }
        if outcome.contains("stolen") || state == "stolen" || state == "escaped" { return "lost" }
        if outcome == "foster" { return intake.contains("stray") || intake.isEmpty ? "found" : "closed" }
        let isGone = ["adopted", "transferred", "passed away", "euthanized", "deleted"].contains(state)
        if !outcome.isEmpty || isGone { return "closed" }
        if intake.contains("stray") || intake.contains("found") { return "found" }
        return intake.isEmpty ? nil : "closed"
    }
}

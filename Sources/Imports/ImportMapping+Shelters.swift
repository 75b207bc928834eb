import Domain

/// Exports of programs and cities whose rows are intakes and outcomes of a shelter: Shelterluv, PetPoint, Chameleon, RescueGroups and
/// Petfinder (columns as `shelterluv.py`, `petpoint.py`, `rescuegroups.py` and `petfinder.py` of
/// https://github.com/sheltermanager/asm3 read them), and the open data of Austin, Bloomington, Dallas, Long Beach,
/// Louisville and Sonoma.
extension ImportMapping {
    /// Columns that other files do not have.
    static let shelterColumns = ImportWords.words("shelter_sign")

    static let shelter = ImportMapping("shelter") { fields, row in
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

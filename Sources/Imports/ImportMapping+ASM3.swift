import Domain

/// Animal Shelter Manager 3: the names are those of its tables `animallost`, `animalfound` and `animal` with the names that
/// its queries join, and of its own CSV format (https://github.com/sheltermanager/asm3, `lostfound.py`, `csvimport.py`).
extension ImportMapping {
    /// Columns that other programs do not have.
    static let asm3Columns = ImportWords.words("asm3_sign")

    static let asm3 = ImportMapping("asm3") { fields, row in
        func text(_ names: String...) -> String? { names.lazy.compactMap { row[$0] }.first { !$0.isEmpty } }
        let isLost = text("datelost", "arealost", "lostfinderid") != nil
        let isFromLists = isLost || text("areafound", "foundfinderid", "datefound") != nil
        if fields["status"] == nil {
            // Views of its table `animal`, such as the open data of Bloomington, have intakes and movements.
            let moved = text("movementtype", "activemovementtypename") ?? (text("deceaseddate") == nil ? nil : "died")
            let came = text("intakereason", "entryreasonname", "animalentrycategory")
            if !isFromLists, moved != nil || came != nil {
                let status = shelterStatus(came?.folded ?? "", moved?.folded ?? "")
                fields["status"] = status.map(JSONValue.string)
            }
        }
        if fields["status"] == nil {
            // The end of a lost animal is `DATEFOUND`, that of a found one is `RETURNTOOWNERDATE`.
            let isHome = text(isLost ? "datefound" : "returntoownerdate") != nil
            fields["status"] = .string(isHome ? "reunited" : isLost ? "lost" : "found")
        }
        if fields["last_seen_at"] == nil {
            let date = isLost ? text("datelost") : text("datefound", "datebroughtin", "animalentrydate", "intakedate")
            fields["last_seen_at"] = date.map(JSONValue.string)
        }
        // Lost and found animals are counted separately.
        let number = text("lfid", "lostfinderid", "foundfinderid", "id")
        let own = text("sheltercode", "animalcode")
        if isFromLists, let number {
            fields["reference"] = .string("\(isLost ? "lost" : "found")-\(number)")
        } else if let own = own ?? number {
            fields["reference"] = .string(own)
        }
        fields["id"] = nil
        // The numbers of its table `lksex`.
        if case .string(let sex)? = fields["sex"], let name = ["0": "female", "1": "male", "2": "unknown"][sex] {
            fields["sex"] = .string(name)
        }
    }

    /// Nil for an animal that is not known to have been found.
    private static func shelterStatus(_ intake: String, _ outcome: String) -> String? {
        // "Abandoned" and "Stray" are found animals; moves within the shelter are no outcomes.
        let came = intake.isEmpty || intake.contains("abandon") ? "stray" : intake
        return status(outcome: ["none", "on shelter"].contains(outcome) ? "" : outcome, intake: came, state: "")
    }
}

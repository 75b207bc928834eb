package import Domain

/// The columns of all programs for what a shelter notes of an animal for itself.
///
/// Those of Animal Shelter Manager 3 are names of its table `animal` with the names that its queries join, and of its CSV
/// format; the others are of exports of Shelterluv, PetPoint and Chameleon, of the open data of cities, and Italian.
extension ImportMapping {
    /// Fields by folded names of columns.
    static let recordColumns: [String: AnimalRecord.Key] = keys([
        .intakeDay: [
            "intake date", "intake on", "date of intake", "received date", "arrival date", "in date", "impound date",
            "date impounded", "datebroughtin", "mostrecententrydate", "animalentrydate", "data ingresso",
            "data di ingresso", "data entrata", "data di entrata", "data arrivo", "data ricovero", "ingresso",
            "entrata",
        ],
        .intake: [
            "intake", "intakereason", "intake type", "intake subtype", "intake sub type", "intake reason",
            "reason for intake",
            "entrytypename", "entryreasonname", "animalentrycategory", "animalreasonforentry", "tipo ingresso",
            "motivo ingresso", "causale ingresso", "modalita ingresso", "tipo entrata", "motivo entrata", "provenienza",
        ],
        .outcomeDay: [
            "outcome date", "outcome on", "date of outcome", "out date", "release date", "activemovementdate",
            "movementdate",
            "data uscita", "data di uscita", "uscita",
        ],
        .outcome: [
            "outcome", "outcome type", "outcome subtype", "outcome sub type", "activemovementtypename", "movementtype",
            "tipo uscita",
            "motivo uscita", "causale uscita", "modalita uscita", "destinazione",
        ],
        .kennel: [
            "kennel", "kennel location", "kennel number", "kennel no", "cage", "cage number", "sublocation", "run",
            "shelterlocationname", "shelterlocationunit", "animallocation", "animalunit", "settore", "reparto", "box",
            "gabbia", "recinto",
        ],
        .behaviour: [
            "behaviour notes", "behavior notes", "behaviour memo", "behavior memo", "note comportamentali",
            "note comportamento", "note sul comportamento", "note carattere", "note sul carattere",
            "valutazione comportamentale", "animalhiddendetails", "hiddenanimaldetails",
        ],
    ])

    private static func keys(_ names: [AnimalRecord.Key: [String]]) -> [String: AnimalRecord.Key] {
        // Some cities write the names without spaces: `IntakeDate`.
        let all = names.flatMap { key, columns in (columns + columns.map { $0.filter { $0 != " " } }).map { ($0, key) }
        }
        return Dictionary(all) { first, _ in first }
    }

    /// Returns the field of the record that a column probably has: "Data ingresso canile", "N. box", "Esito uscita".
    static func recordKey(_ column: String) -> AnimalRecord.Key? {
        let name = column.folded
        if let known = recordColumns[name] { return known }
        let words = Set(name.split(separator: " ").map(String.init))
        guard words.count <= 4, words.isDisjoint(with: ofPersons) else { return nil }
        let isDay = !words.isDisjoint(with: ["data", "date"])
        let isKind = !words.isDisjoint(with: ["tipo", "motivo", "causale", "modalita", "esito", "type", "reason"])
        if !words.isDisjoint(with: ["ingresso", "entrata", "intake"]) {
            return isDay ? .intakeDay : isKind ? .intake : nil
        }
        if !words.isDisjoint(with: ["uscita", "outcome"]) { return isDay ? .outcomeDay : isKind ? .outcome : nil }
        let isKennel = !words.isDisjoint(with: ["box", "gabbia", "recinto", "kennel", "cage"])
        return isKennel && words.isSubset(of: ofKennels) ? .kennel : nil
    }

    private static let ofKennels: Set<String> = [
        "box", "gabbia", "recinto", "kennel", "cage", "n", "nr", "no", "num", "numero", "number", "id", "di", "del",
        "cane",
        "animale", "dog", "animal", "attuale", "current",
    ]

    private static let ofPersons: Set<String> = [
        "proprietario", "proprietaria", "owner", "adottante", "adopter", "intestatario", "operatore", "operator",
        "telefono",
        "phone", "email", "nome", "name", "ora", "time",
    ]
}

extension ListingRecords.Record {
    /// Adds what a column says of the animal to the record. The first day counts; words are joined. Words in the column of a day
    /// say how the animal came or left: "adottato".
    mutating func note(_ text: String, as key: AnimalRecord.Key, isMonthFirst: Bool) {
        guard !text.isEmpty else {
            notes[key] = notes[key] ?? .some(nil)
            return
        }
        guard key.isDay else { return addNote(text, to: key) }
        guard let day = Self.day(text, isMonthFirst: isMonthFirst) else {
            return addNote(text, to: key == .intakeDay ? .intake : .outcome)
        }
        if (notes[key] ?? nil) == nil { notes[key] = day }
    }

    private mutating func addNote(_ text: String, to key: AnimalRecord.Key) {
        let known = (notes[key] ?? nil)?.components(separatedBy: key.separator) ?? []
        guard !known.contains(text) else { return }
        notes[key] = (known + [text]).joined(separator: key.separator)
    }

    private static func day(_ text: String, isMonthFirst: Bool) -> String? {
        if let date = NumericDate(text, isMonthFirst: isMonthFirst) { return date.calendarDay?.text }
        let first = String(text.prefix(10))
        let day = CalendarDay(parsing: first) ?? CalendarDay(written: text, zone: .gmt)
        return day?.text ?? Timestamp(written: text, zone: .gmt).map { String($0.text.prefix(10)) }
    }

    /// What the file says of the record, checked. A nil value clears a field.
    ///
    /// - Throws: `invalid` with the name of the field.
    package func checkedNotes() throws(ServiceError) -> [AnimalRecord.Key: String?] {
        var checked: [AnimalRecord.Key: String?] = [:]
        for key in AnimalRecord.Key.allCases {
            guard let note = notes[key] else { continue }
            checked[key] = .some(try AnimalRecord.text(key, Field(key.rawValue, note.map(JSONValue.string) ?? .null)))
        }
        return checked
    }

    /// The notes as text that is the same for equal notes; empty if there are none.
    package var noteContents: String {
        AnimalRecord.Key.allCases.compactMap { key in
            (notes[key] ?? nil).map { "\(key.rawValue)=\($0)\n" }
        }.joined()
    }
}

extension AnimalRecord.Key {
    /// What stands between the texts of several columns.
    fileprivate var separator: String {
        switch self {
        case .kennel: " "
        case .behaviour: "\n"
        default: " / "
        }
    }
}

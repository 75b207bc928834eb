package import Domain

/// The columns of all programs for what a shelter notes of an animal for itself.
///
/// Those of Animal Shelter Manager 3 are names of its table `animal` with the names that its queries join, and of its CSV
/// format; the others are of exports of Shelterluv, PetPoint and Chameleon, of the open data of cities, and of shelters.
extension ImportMapping {
    /// Fields by folded names of columns. Some cities write the names without spaces: `IntakeDate`.
    static let recordColumns: [String: AnimalRecord.Key] = {
        let names = ImportWords.meanings("record").compactMap { name, key in
            AnimalRecord.Key(rawValue: key).map { (name, $0) }
        }
        return Dictionary(names + names.map { ($0.0.filter { $0 != " " }, $0.1) }) { first, _ in first }
    }()

    /// Returns the field of the record that a column probably has: "Data ingresso canile", "N. box", "Esito uscita".
    static func recordKey(_ column: String) -> AnimalRecord.Key? {
        let name = column.folded
        if let known = recordColumns[name] { return known }
        let words = Set(name.split(separator: " ").map(String.init))
        func has(_ kind: Set<String>) -> Bool { !words.isDisjoint(with: kind) }
        guard words.count <= 4, !has(ofPersons) else { return nil }
        if has(arrivals) { return has(days) ? .intakeDay : has(reasons) ? .intake : nil }
        if has(departures) { return has(days) ? .outcomeDay : has(reasons) ? .outcome : nil }
        return has(kennels) && words.isSubset(of: kennels.union(ofKennels)) ? .kennel : nil
    }

    private static let days = ImportWords.words("day")
    private static let reasons = ImportWords.words("reason")
    private static let arrivals = ImportWords.words("arrival")
    private static let departures = ImportWords.words("departure")
    private static let kennels = ImportWords.words("kennel")
    private static let ofKennels = ImportWords.words("of_kennel")
    private static let ofPersons = ImportWords.words("of_person")
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

    /// The fields of the record that the file has, checked. A nil value clears a field.
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
    /// The separator between the texts of several columns.
    fileprivate var separator: String {
        switch self {
        case .kennel: " "
        case .behaviour: "\n"
        default: " / "
        }
    }
}

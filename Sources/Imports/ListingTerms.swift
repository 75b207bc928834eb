package import Domain
import Foundation

/// Words that stand for the values of listings in files of others, those of all languages: `import-values.tsv`.
package enum ListingTerms {
    /// The value in the table for words such as "unknown".
    private static let nothing = "none"

    /// The values by the names of fields and by folded words.
    private static let values: [String: [String: String]] = Language.tables("import-values").flatMap(\.table.rows)
        .reduce(into: [:]) { values, row in
            for word in row[2].split(separator: "|").map(String.init) where values[String(row[0])]?[word] == nil {
                values[String(row[0]), default: [:]][word] = String(row[1])
            }
        }

    private static func value(_ name: String, of text: some StringProtocol) -> String? { values[name]?[text.folded] }

    /// Returns the value of a choice, or the text in lower case if it is not a known word.
    private static func choice(_ field: ListingField, _ text: String) -> String {
        value(field.name, of: text) ?? text.trimmed.lowercased()
    }

    private static func flag(_ text: String) -> Bool? { value("flag", of: text).flatMap(Bool.init) }

    /// Shelters write "Spayed Female", "Neutered" and "Unknown". Returns nil for other texts.
    private static func sex(_ text: String) -> JSONValue? {
        let found = Set(text.folded.split(separator: " ").compactMap { value(ListingField.sex.name, of: $0) })
        let sex = [Listing.Sex.female, .male].first { found.contains($0.rawValue) }
        return sex.map { .string($0.rawValue) } ?? (found.contains(nothing) ? .null : nil)
    }

    /// Italian spreadsheets write the decimal separator as a comma.
    package static func degrees(_ text: String) -> Double? { Double(text.trimmed.replacing(",", with: ".")) }

    /// Converts a text to the type of its field, and translates the usual words.
    package static func value(_ name: String, _ text: String) throws(ServiceError) -> JSONValue {
        guard let field = ListingField(name: name) else {
            if name == PointConfirmation.fieldName { return flag(text).map(JSONValue.bool) ?? .string(text) }
            return .string(name == "created_at" ? try time(name, text) : text)
        }
        switch field {
        case .species: return .string(Species(rawValue: choice(field, text))?.rawValue ?? "other")
        case .sex: return sex(text) ?? .string(text)
        // Chameleon has the young among the sizes.
        case .size where value(name, of: text) == nothing: return .null
        default: break
        }
        switch field.kind {
        case .degrees: return degrees(text).map(JSONValue.number) ?? .string(text)
        case .flag: return flag(text).map(JSONValue.bool) ?? .string(text)
        case .choice: return .string(choice(field, text))
        case .time: return .string(try time(name, text))
        case .text, .lines, .breed, .age, .microchip, .phone, .email: return .string(text)
        }
    }

    // Static, because a literal in a function is parsed at each call.
    nonisolated(unsafe) private static let yearFirst = /\d{4}-\d/
    nonisolated(unsafe) private static let clockTime = #/(\d{4})-(\d\d)-(\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?/#

    /// Whether a text is a date that `time` reads, with the year first or last.
    static func isTime(_ text: String) -> Bool {
        let text = String(text.trimmed)
        return Timestamp.isYearLast(text)
            ? CalendarDay(dayFirst: text) != nil || Timestamp(dayFirst: text, zone: .gmt) != nil
            : text.prefixMatch(of: yearFirst) != nil
    }

    /// Whether a time is by the clock of an unnamed time zone.
    static func isLocalTime(_ text: String) -> Bool { text.contains(":") && Timestamp(parsing: text) == nil }

    /// Converts a date whose year comes last, whose day must come first: `11/20/2026` is a mistake. A day without a time stays
    /// a day, such as `2026-11-20`. A time without a zone, as databases write it (`2026-11-20 18:30:00`), is by the clock of
    /// `zone`.
    static func time(_ name: String, _ text: String, zone: TimeZone = .current) throws(ServiceError) -> String {
        let text = String(text.trimmed)
        if let parts = text.wholeMatch(of: clockTime) {
            // Exports of databases write midnight for a day alone.
            if parts.4.allSatisfy({ $0 == "0" || $0 == ":" }) { return String(text.prefix(10)) }
            let time = Timestamp(dayFirst: "\(parts.3)/\(parts.2)/\(parts.1) \(parts.4)", zone: zone)
            if let time { return time.text }
        }
        guard Timestamp.isYearLast(text) else {
            if Timestamp(parsing: text) != nil { return text }
            // "11 ottobre 2026", "Oct 11, 2026 at 9:30".
            return CalendarDay(written: text, zone: zone)?.text ?? Timestamp(written: text, zone: zone)?.text ?? text
        }
        if let day = CalendarDay(dayFirst: text) { return day.text }
        guard let time = Timestamp(dayFirst: text, zone: zone) else {
            throw .invalid(name, "\(Timestamp.dayFirstExpectation), got '\(text.prefix(40))'")
        }
        return time.text
    }
}

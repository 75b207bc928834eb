package import Domain
import Foundation

/// Words that stand for the values of listings in files of others, in Italian and in English, in lower case without
/// accents.
package enum ListingTerms {
    private static let choices: [ListingField: [String: String]] = [
        .status: [
            "smarrito": "lost", "smarrita": "lost", "perso": "lost", "persa": "lost", "scomparso": "lost",
            "scomparsa": "lost", "trovato": "found", "trovata": "found",
            "rinvenuto": "found", "rinvenuta": "found", "avvistato": "sighted", "avvistata": "sighted",
            "ritrovato": "reunited", "ritrovata": "reunited", "avvistamento": "sighted", "smarrimento": "lost",
            "ritrovamento": "found", "missing": "lost", "stray": "found", "sighting": "sighted", "seen": "sighted",
            "tornato a casa": "reunited", "tornata a casa": "reunited", "restituito": "reunited",
            "restituita": "reunited", "restituito al proprietario": "reunited", "reso al proprietario": "reunited",
            "returned to owner": "reunited", "rto": "reunited", "return to owner": "reunited", "reclaimed": "reunited",
            "chiuso": "closed", "chiusa": "closed", "adottato": "closed", "adottata": "closed", "affidato": "closed",
            "affidata": "closed", "deceduto": "closed", "deceduta": "closed", "adopted": "closed", "deceased": "closed",
            "euthanized": "closed", "transferred": "closed", "trasferito": "closed", "trasferita": "closed",
            "in canile": "found", "canile": "found", "in rifugio": "found", "ricoverato": "found",
            "ricoverata": "found",
            "in shelter": "found", "accalappiato": "found", "accalappiata": "found", "recuperato": "found",
            "recuperata": "found", "vagante": "sighted", "avvistati": "sighted",
        ],
        .species: [
            "cane": "dog", "cagna": "dog", "cucciolo": "dog", "puppy": "dog", "gatto": "cat", "gatta": "cat",
            "kitten": "cat",
        ],
        .size: [
            "piccola": "small", "piccolo": "small", "media": "medium", "medio": "medium", "grande": "large",
            "mini": "small", "toy": "small", "molto piccola": "small", "molto piccolo": "small", "very small": "small",
            "medio piccola": "small", "media piccola": "small", "media grande": "large", "medio piccolo": "small",
            "medio grande": "large", "gigante": "large",
            "molto grande": "large", "very large": "large", "extra large": "large", "med": "medium", "lrg": "large",
            "xl": "large", "x lrg": "large", "xlrg": "large", "x large": "large", "sml": "small", "s": "small",
            "m": "medium", "l": "large",
        ],
        .locationPrecision: ["esatta": "exact", "esatto": "exact", "approssimata": "approximate"],
    ]
    private static let flags = [
        "true": true, "1": true, "yes": true, "si": true, "false": false, "0": false, "no": false,
    ]

    /// Returns the value of a choice, or the text in lower case if it is not a known word.
    private static func choice(_ field: ListingField, _ text: String) -> String {
        choices[field]?[text.folded] ?? text.trimmed.lowercased()
    }

    private static func flag(_ text: String) -> Bool? { flags[text.folded] }

    /// Shelters write "Spayed Female", "Neutered" and "Unknown". Returns nil for other texts.
    private static func sex(_ text: String) -> JSONValue? {
        let words = Set(text.folded.split(separator: " "))
        if !words.isDisjoint(with: ["female", "f", "spayed", "femmina", "sterilizzata"]) { return .string("female") }
        if !words.isDisjoint(with: ["male", "m", "neutered", "maschio", "castrato"]) { return .string("male") }
        let unknown: Set<Substring> = ["unknown", "unk", "u", "x", "sconosciuto", "ignoto", "noto", "null"]
        return words.isDisjoint(with: unknown) ? nil : .null
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
        case .size where ["puppy", "puppies", "kitten", "kittn", "unknown"].contains(text.folded): return .null
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

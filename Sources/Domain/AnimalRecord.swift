/// The private notes of a listing's owner, such as a shelter, about the animal. They are never public.
package struct AnimalRecord: Equatable, Sendable {
    /// The raw values are the names of fields and of columns.
    package enum Key: String, CaseIterable, Sendable {
        /// The day on which the animal came, such as `2026-11-20`.
        case intakeDay = "intake_on"
        /// How it came: "stray", "surrendered".
        case intake
        case outcomeDay = "outcome_on"
        /// How it left: "adopted".
        case outcome
        case kennel
        case behaviour

        package var isDay: Bool { self == .intakeDay || self == .outcomeDay }

        /// In Unicode scalars, as the CHECKs of the table say; of days it does not count.
        package var maxLength: Int {
            switch self {
            case .intakeDay, .outcomeDay: 10
            case .intake, .outcome: 200
            case .kennel: 100
            case .behaviour: 4000
            }
        }
    }

    private var values: [Key: String] = [:]

    package init() {}

    /// The value of a field; nil if it is not noted.
    package subscript(key: Key) -> String? {
        get { values[key] }
        set { values[key] = newValue }
    }

    package var isEmpty: Bool { values.isEmpty }

    /// Reads all fields; those that are missing, null or empty are not noted.
    package init(_ fields: [String: JSONValue]) throws(ServiceError) {
        for key in Key.allCases {
            values[key] = try Self.text(key, Field(key.rawValue, fields[key.rawValue] ?? .null))
        }
    }

    /// Returns the text of a field as it is stored; nil if there is none.
    package static func text(_ key: Key, _ field: Field) throws(ServiceError) -> String? {
        guard let text = try field.text(atMost: key.maxLength, lines: key == .behaviour) else { return nil }
        guard !key.isDay else {
            guard let day = CalendarDay(parsing: text) else { throw field.invalid("expected a day like 2026-11-20") }
            return day.text
        }
        return text
    }
}

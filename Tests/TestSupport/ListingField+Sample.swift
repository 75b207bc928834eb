package import Domain

extension ListingField {
    /// A value that the field accepts. That of a plain text is one word that no other field contains.
    package var sample: JSONValue {
        switch kind {
        case .text, .lines, .breed, .age: .string("sample" + name.split(separator: "_").joined())
        case .microchip: "380260000000001"
        case .phone: "+39 089 4711"
        case .email: "sample@example.org"
        case .choice(let values): .string(self == .locationPrecision ? "exact" : values[0])
        case .time: "2026-05-01T10:00:00.000Z"
        case .degrees: .number(self == .lon ? 14.79 : 40.77)
        case .flag: true
        }
    }

    package static let samples = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0.sample) })
}

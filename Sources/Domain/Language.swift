/// The languages people are answered in.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case italian = "it"
}

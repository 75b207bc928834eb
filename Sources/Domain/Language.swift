/// The languages of the user interface.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case italian = "it"
}

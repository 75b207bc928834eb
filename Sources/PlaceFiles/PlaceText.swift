import Domain

/// A text from a file, with control characters and white space replaced by single spaces.
struct PlaceText {
    /// The maximum length in code points, because one character can consist of any number of them.
    static let maxLength = 200

    /// The normalized text, which is never empty.
    let text: String

    /// Returns nil if the text is empty. Throws if it is too long.
    init?(_ raw: some StringProtocol) throws(TooLong) {
        let scalars = raw.unicodeScalars.lazy.map { $0.properties.generalCategory == .control ? " " : $0 }
        let words = String(String.UnicodeScalarView(scalars)).split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return nil }
        text = words.joined(separator: " ")
        let length = text.unicodeScalars.count
        guard length <= Self.maxLength else { throw TooLong(length: length) }
    }

    /// Returns the beginning of a text for error messages.
    static func excerpt(_ raw: String) -> String {
        let start = String(raw.unicodeScalars.prefix(60))
        return (try? PlaceText(start))?.text ?? ""
    }

    struct TooLong: Error {
        let length: Int

        var message: ErrorMessage { "expected at most \(PlaceText.maxLength) characters, got \(length)" }
    }
}

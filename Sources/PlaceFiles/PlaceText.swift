import Domain

/// A text of a file as places bear it: control characters count as white space, of which one space stays between words.
struct PlaceText {
    /// Code points: a single character may have any number of them.
    static let maxLength = 200

    /// Never empty.
    let text: String

    /// Nil where nothing is left; throws on excess length.
    init?(_ raw: some StringProtocol) throws(TooLong) {
        let scalars = raw.unicodeScalars.lazy.map { $0.properties.generalCategory == .control ? " " : $0 }
        let words = String(String.UnicodeScalarView(scalars)).split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return nil }
        text = words.joined(separator: " ")
        let length = text.unicodeScalars.count
        guard length <= Self.maxLength else { throw TooLong(length: length) }
    }

    /// The beginning, for messages.
    static func excerpt(_ raw: String) -> String {
        let start = String(raw.unicodeScalars.prefix(60))
        return (try? PlaceText(start))?.text ?? ""
    }

    struct TooLong: Error, CustomStringConvertible {
        let length: Int

        var description: String { "expected at most \(PlaceText.maxLength) characters, got \(length)" }
    }
}

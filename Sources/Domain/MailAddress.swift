/// A mailbox that is safe to use in SMTP commands and headers: it contains no line breaks and no second address.
package struct MailAddress: Hashable, Sendable {
    /// The name that mail programs show instead of the mailbox.
    package let name: String?
    /// For example `anna@example.org`.
    package let mailbox: String

    private static let separators = Set("<>()[],;:\\\" ")

    /// Returns nil unless the text has the form `anna@example.org` or `Anna Rossi <anna@example.org>`.
    package init?(_ text: String) {
        guard text.hasSuffix(">"), let begin = text.lastIndex(of: "<") else {
            self.init(mailbox: text, name: nil)
            return
        }
        let name = text[..<begin].split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !name.contains("<"), !name.contains(">") else { return nil }
        self.init(mailbox: String(text[text.index(after: begin)...].dropLast()), name: name.isEmpty ? nil : name)
    }

    private init?(mailbox: String, name: String?) {
        let parts = mailbox.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, mailbox.utf8.count <= 254,
            !mailbox.contains(where: Self.separators.contains), !mailbox.unicodeScalars.contains(where: \.endsText)
        else { return nil }
        self.mailbox = mailbox
        self.name = name
    }

    /// The part after the `@`.
    package var host: Substring { mailbox.split(separator: "@").last ?? "" }

    /// The form that `init(_:)` reads.
    package var text: String { name.map { "\($0) <\(mailbox)>" } ?? mailbox }
}

extension Unicode.Scalar {
    /// Whether the character is a line break in some context, or a control or format character that does not belong in
    /// a text.
    package var endsText: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: true
        default: false
        }
    }
}

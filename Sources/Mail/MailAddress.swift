/// A mailbox as SMTP and headers take it: nothing in it ends a line or begins another address.
package struct MailAddress: Hashable, Sendable {
    /// What programs show in its place.
    package let name: String?
    /// Like `anna@example.org`.
    package let mailbox: String

    private static let separators = Set("<>()[],;:\\\" ")

    /// Nil for what is no `anna@example.org` or `Anna Rossi <anna@example.org>`.
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

    /// What stands behind the `@`.
    var host: Substring { mailbox.split(separator: "@").last ?? "" }
}

extension Unicode.Scalar {
    /// Whether it may end a line somewhere, or is otherwise not part of a text.
    var endsText: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: true
        default: false
        }
    }
}

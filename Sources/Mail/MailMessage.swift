package import Domain

/// What one person is told.
package struct MailMessage: Equatable, Sendable {
    package let to: MailAddress
    package let subject: String
    /// Plain text, lines with a line feed between them.
    package let text: String
    package let language: Language

    package init(to: MailAddress, subject: String, text: String, language: Language) {
        self.to = to
        self.subject = subject
        self.text = text
        self.language = language
    }
}

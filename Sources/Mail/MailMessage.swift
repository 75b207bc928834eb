package import Domain

/// An e-mail to one person, before it is encoded.
package struct MailMessage: Equatable, Sendable {
    package let to: MailAddress
    package let subject: String
    /// Plain text; lines are separated by line feeds.
    package let text: String
    package let language: Language

    package init(to: MailAddress, subject: String, text: String, language: Language) {
        self.to = to
        self.subject = subject
        self.text = text
        self.language = language
    }
}

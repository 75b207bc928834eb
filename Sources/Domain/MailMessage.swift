package import Foundation

/// An e-mail to one person, before it is encoded.
package struct MailMessage: Equatable, Sendable {
    package let to: MailAddress
    package let subject: String
    /// Plain text; lines are separated by line feeds.
    package let text: String
    package let language: Language
    /// The same contents as HTML, for programs that show it.
    package var html: String?
    /// A picture within the HTML part.
    package var picture: MailPicture?
    /// An https URL that ends such mails with a POST request and shows a page with a GET request (RFC 8058).
    package var unsubscribe: String?
    /// Whether the mail waits until all others are sent, as the mails to the many readers of one listing do.
    package var isBulk = false
    /// The `Account.id` of the account to which the mail belongs. The mail is deleted together with it.
    package var account: UUID?
    /// The `Listing.key` of each listing of which it tells a reader of alerts.
    package var listings: [Int64] = []
    /// While a mail with this key is waiting, no other one with the key is stored.
    package var key: String?
    /// The time from which on the mail is useless. Nil for the default of `lifetime`.
    package var expiresAt: Timestamp?

    /// The time in seconds after which a mail is given up if it has no `expiresAt`: that of RFC 5321, section 4.5.4.1.
    package static let lifetime = 5 * 86_400.0
    /// In bytes.
    package static let maxPartSize = 256 << 10

    package init(to: MailAddress, subject: String, text: String, language: Language) {
        (self.to, self.subject, self.text, self.language) = (to, subject, text, language)
    }

    /// Throws if the mail cannot be stored or sent.
    package func validate() throws(ServiceError) {
        guard subject.utf8.count <= 1000 else { throw .invalid("subject", "expected at most 1000 bytes") }
        guard text.utf8.count <= Self.maxPartSize else {
            throw .invalid("text", "expected at most \(Self.maxPartSize) bytes")
        }
        guard html.map({ $0.utf8.count <= Self.maxPartSize }) ?? true else {
            throw .invalid("html", "expected at most \(Self.maxPartSize) bytes")
        }
        guard picture == nil || html != nil else { throw .invalid("picture", "expected together with html") }
        guard key.map({ (1...200).contains($0.utf8.count) }) ?? true else {
            throw .invalid("key", "expected 1 to 200 bytes")
        }
        guard unsubscribe.map(Self.isHeaderURL) ?? true else {
            throw .invalid("unsubscribe", "expected an https URL of at most 500 printable ASCII characters")
        }
    }

    /// Whether a URL can be written into a header within angle brackets.
    private static func isHeaderURL(_ url: String) -> Bool {
        url.hasPrefix("https://") && (9...500).contains(url.utf8.count)
            && url.utf8.allSatisfy { (33...126).contains($0) && !#"<>",\"#.utf8.contains($0) }
    }
}

/// A picture within the HTML part of a mail.
package struct MailPicture: Equatable, Sendable {
    /// In bytes.
    package static let maxSize = 100 << 10

    package let bytes: [UInt8]
    /// `image/jpeg`, `image/png` or `image/webp`.
    package let type: String
    /// The name by which the HTML part refers to the picture: `<img src="cid:NAME">`.
    package let name: String

    package init(_ bytes: [UInt8], type: String, name: String) throws(ServiceError) {
        guard (1...Self.maxSize).contains(bytes.count) else {
            throw .invalid("picture", "expected 1 to \(Self.maxSize) bytes")
        }
        guard ["image/jpeg", "image/png", "image/webp"].contains(type) else {
            throw .invalid("type", "expected image/jpeg, image/png or image/webp")
        }
        guard (1...40).contains(name.utf8.count), name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw .invalid("name", "expected 1 to 40 ASCII letters and digits")
        }
        (self.bytes, self.type, self.name) = (bytes, type, name)
    }
}

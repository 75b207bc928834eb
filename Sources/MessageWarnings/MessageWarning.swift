/// A warning to the reader of a message. It is a hint based on what the message seems to ask for: it does not block the
/// message, its sender is not told, and some wordings escape it.
package enum MessageWarning: String, CaseIterable, Sendable {
    /// Requests a code that the reader receives by phone, which fraudsters use to take over accounts.
    case verificationCode = "verification_code"
    /// Requests money or a promise of it, or names a method of payment that is irrevocable.
    case payment
    /// Contains a link to another site.
    case link

    /// The warnings that are shown with every conversation, independently of its messages.
    package static let general: [MessageWarning] = [.verificationCode, .payment]

    /// - Parameter host: the host of this service. Links to it cause no warning.
    package init?(in text: String, host: String) {
        let text = Self.visible(text)
        let requests = RequestReader(text)
        if requests.asksForCode {
            self = .verificationCode
        } else if requests.asksForMoney {
            self = .payment
        } else if LinkReader.linksToOtherSite(text, host: host) {
            self = .link
        } else {
            return nil
        }
    }

    /// Removes invisible characters, which would prevent words from being found.
    private static func visible(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 128 }) else { return text }
        var visible = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            visible.append(scalar)
        }
        return String(visible)
    }
}

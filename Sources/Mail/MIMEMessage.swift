package import Domain
package import Foundation

/// A complete message (RFC 5322, MIME) with its envelope addresses.
package struct MIMEMessage: Sendable {
    package let sender: String
    package let recipient: String
    /// The message; its lines end with CRLF.
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - id: the unique part of the Message-ID. With the same one, recipients recognise a mail that was sent twice.
    ///   - time: that of the header `Date`.
    package init(_ message: MailMessage, from: MailAddress, id: UUID = UUID(), at time: Date = Date()) {
        sender = from.mailbox
        recipient = message.to.mailbox
        let part = MIMEPart(message, boundary: id.uuidString.lowercased())
        let fields =
            [
                ("From", Self.field(from)), ("To", Self.field(message.to)), ("Subject", Self.words(message.subject)),
                ("Date", Self.date(time)), ("Message-ID", "<\(id.uuidString.lowercased())@\(from.host)>"),
                ("MIME-Version", "1.0"),
            ] + part.fields + [
                ("Content-Language", message.language.rawValue),
                // Prevents automatic replies such as absence notes (RFC 3834).
                ("Auto-Submitted", "auto-generated"),
            ] + (message.isBulk ? [("Precedence", "bulk")] : []) + Self.unsubscribeFields(message.unsubscribe)
        bytes = Array((MIMEPart.head(fields) + part.body).utf8)
    }

    /// RFC 2369 and RFC 8058. The URL was validated with the message, so that it contains neither spaces nor brackets.
    private static func unsubscribeFields(_ url: String?) -> [(String, String)] {
        guard let url else { return [] }
        return [
            ("List-Unsubscribe", "<\(url)>"), ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ]
    }

    private static func field(_ address: MailAddress) -> String {
        guard let name = address.name else { return "<\(address.mailbox)>" }
        return words(name, isQuoted: true) + "\r\n <\(address.mailbox)>"
    }

    /// Encodes a text for a header so that it cannot start a new line: unchanged if it is short ASCII text, otherwise
    /// as encoded words (RFC 2047) of a few characters each.
    static func words(_ text: String, isQuoted: Bool = false) -> String {
        let plain = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.endsText ? " " : $0 }))
        if plain.utf8.count <= 60, plain.allSatisfy({ $0.isASCII && $0 != "\"" && $0 != "\\" && $0 != "=" }) {
            return isQuoted ? "\"\(plain)\"" : plain
        }
        var pieces: [String] = [""]
        for character in plain {
            if (pieces.last?.utf8.count ?? 0) + character.utf8.count > 42 { pieces.append("") }
            pieces[pieces.count - 1].append(character)
        }
        return pieces.map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    private static func date(_ time: Date) -> String {
        var seconds = time_t(time.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 64)
        strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S +0000", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

package import Foundation

/// A complete message (RFC 5322, MIME) with its envelope addresses.
package struct MIMEMessage: Sendable {
    package let sender: String
    package let recipient: String
    /// The message; its lines end with CRLF.
    package let bytes: [UInt8]

    package init(_ message: MailMessage, from: MailAddress, at time: Date = Date()) {
        sender = from.mailbox
        recipient = message.to.mailbox
        let fields = [
            ("From", Self.field(from)), ("To", Self.field(message.to)), ("Subject", Self.words(message.subject)),
            ("Date", Self.date(time)), ("Message-ID", "<\(UUID().uuidString.lowercased())@\(from.host)>"),
            ("MIME-Version", "1.0"), ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "quoted-printable"), ("Content-Language", message.language.rawValue),
            // Prevents automatic replies such as absence notes (RFC 3834).
            ("Auto-Submitted", "auto-generated"),
        ]
        let head = fields.map { "\($0): \($1)\r\n" }.joined()
        bytes = Array((head + "\r\n" + Self.quotedPrintable(message.text)).utf8)
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

    /// Encodes a text with lines of at most 76 characters (RFC 2045, section 6.7).
    static func quotedPrintable(_ text: String) -> String {
        var result = ""
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let bytes = Array(line.utf8)
            var width = 0
            for (index, byte) in bytes.enumerated() {
                let isLast = index == bytes.count - 1
                let isPlain = (33...126).contains(byte) && byte != 61 || (byte == 32 || byte == 9) && !isLast
                let encoded = isPlain ? String(Unicode.Scalar(byte)) : "=" + hexadecimal(byte)
                if width + encoded.utf8.count > 75 {
                    result += "=\r\n"
                    width = 0
                }
                result += encoded
                width += encoded.utf8.count
            }
            result += "\r\n"
        }
        return result
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return text.utf8.count == 1 ? "0" + text : text
    }
}

import Domain
import Foundation

/// A part of a message (RFC 2045): its header fields and its encoded body, whose lines end with CRLF.
struct MIMEPart {
    let fields: [(String, String)]
    let body: String

    /// The contents of a message: the text alone; or the text and the HTML part as alternatives, the latter together with
    /// its picture (RFC 2387).
    ///
    /// - Parameter boundary: a text that is different in each message.
    init(_ message: MailMessage, boundary: String) {
        let text = MIMEPart(text: message.text, "plain")
        guard let html = message.html.map({ MIMEPart(text: $0, "html") }) else {
            self = text
            return
        }
        let rich = message.picture.map { picture in
            MIMEPart([html, MIMEPart(picture)], "related; type=\"text/html\"", boundary: "\(boundary)-2")
        }
        self.init([text, rich ?? html], "alternative", boundary: "\(boundary)-1")
    }

    private init(fields: [(String, String)], body: String) {
        self.fields = fields
        self.body = body
    }

    private init(text: String, _ subtype: String) {
        fields = [
            ("Content-Type", "text/\(subtype); charset=utf-8"), ("Content-Transfer-Encoding", "quoted-printable"),
        ]
        body = Self.quotedPrintable(text)
    }

    private init(_ picture: MailPicture) {
        fields = [
            ("Content-Type", picture.type), ("Content-Transfer-Encoding", "base64"),
            ("Content-ID", "<\(picture.name)>"), ("Content-Disposition", "inline"),
        ]
        let options: Data.Base64EncodingOptions = [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ]
        body = Data(picture.bytes).base64EncodedString(options: options) + "\r\n"
    }

    private init(_ parts: [MIMEPart], _ subtype: String, boundary: String) {
        // The characters `=_` occur neither in quoted-printable text nor in base64.
        let line = "--=_\(boundary)"
        fields = [("Content-Type", "multipart/\(subtype);\r\n boundary=\"=_\(boundary)\"")]
        body = parts.map { "\(line)\r\n\(Self.head($0.fields))\($0.body)" }.joined() + "\(line)--\r\n"
    }

    /// Returns the lines of the fields and an empty line.
    static func head(_ fields: [(String, String)]) -> String {
        fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    }

    private static let hexadecimal = Array("0123456789ABCDEF".utf8)

    /// Encodes a text with lines of at most 76 characters (RFC 2045, section 6.7).
    static func quotedPrintable(_ text: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count * 5 / 4)
        let lineEnd: [UInt8] = [13, 10]
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var (width, rest) = (0, line.utf8.count)
            for byte in line.utf8 {
                rest -= 1
                let isPlain = (33...126).contains(byte) && byte != 61 || (byte == 32 || byte == 9) && rest > 0
                if width + (isPlain ? 1 : 3) > 75 {
                    result.append(61)
                    result += lineEnd
                    width = 0
                }
                if isPlain {
                    result.append(byte)
                } else {
                    result += [61, hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
                }
                width += isPlain ? 1 : 3
            }
            result += lineEnd
        }
        return String(decoding: result, as: UTF8.self)
    }
}

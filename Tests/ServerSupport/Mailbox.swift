package import Domain
package import Foundation
import Logging
package import Mail
package import Storage
import Synchronization

/// Receives all mails of a service.
package final class Mailbox: MailTransport {
    private let letters: AsyncStream<MIMEMessage>
    private let arrival: AsyncStream<MIMEMessage>.Continuation

    package init() {
        (letters, arrival) = AsyncStream.makeStream()
    }

    package func send(_ letter: MIMEMessage) async throws { arrival.yield(letter) }

    /// A mailer that delivers to this mailbox.
    package func mailer(_ database: any Database) throws -> Mailer { try mailer(database, now: { .now }) }

    package func mailer(_ database: any Database, now: @escaping @Sendable () -> Timestamp) throws -> Mailer {
        guard let from = MailAddress("Dogs <dogs@example.org>") else { throw TestFailure("no address") }
        return Mailer(
            self,
            store: OutgoingMailStore(database),
            from: from,
            logger: Logger(label: "mail") { _ in SwiftLogNoOpLogHandler() },
            now: now
        )
    }

    package struct Mail: Sendable {
        package let to: String
        package let subject: String
        package let text: String
        /// The HTML part.
        package let html: String
        /// The picture in it; nil if there is none.
        package let picture: Data?
        /// The token in the link of the mail.
        package var token: String? { text.firstMatch(of: /token=([A-Za-z0-9_-]{43})/).map { String($0.1) } }
    }

    /// Waits for the next mail.
    package func next() async throws -> Mail {
        guard let letter = await letters.first(where: { _ in true }) else { throw TestFailure("no mail") }
        let whole = String(decoding: letter.bytes, as: UTF8.self)
        let head = whole[..<(whole.firstRange(of: "\r\n\r\n")?.lowerBound ?? whole.endIndex)]
        let subject = head.replacing("\r\n ", with: "").firstMatch(of: /Subject: (.*)/)?.1 ?? ""
        return Mail(
            to: letter.recipient,
            subject: Self.plain(String(subject)),
            text: Self.decoded(Self.part("text/plain;", of: whole)),
            html: Self.decoded(Self.part("text/html;", of: whole)),
            picture: Data(base64Encoded: Self.part("image/jpeg", of: whole), options: .ignoreUnknownCharacters)
                .flatMap { $0.isEmpty ? nil : $0 }
        )
    }

    /// Decodes encoded words (RFC 2047).
    private static func plain(_ subject: String) -> String {
        let words = subject.matches(of: #/=\?utf-8\?B\?([^?]*)\?=/#).compactMap { Data(base64Encoded: String($0.1)) }
        return words.isEmpty ? subject : String(decoding: words.joined(), as: UTF8.self)
    }

    /// Returns the contents of the first part of this type; empty if there is none.
    private static func part(_ type: String, of whole: String) -> String {
        guard let start = whole.firstRange(of: "Content-Type: \(type)"),
            let body = whole[start.upperBound...].firstRange(of: "\r\n\r\n")
        else { return "" }
        let rest = whole[body.upperBound...]
        return String(rest[..<(rest.firstRange(of: "\r\n--=_")?.lowerBound ?? rest.endIndex)])
    }

    /// Decodes quoted-printable.
    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.replacing("=\r\n", with: "").utf8)[...]
        while let byte = rest.popFirst() {
            let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            if byte == UInt8(ascii: "="), let code {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

import Domain
import Foundation
import TestSupport
import Testing

@testable import Mail

/// Messages as the `email` package of Python reads them.
@Suite("MIME messages")
struct MIMEMessageTests {
    private struct Parsed: Decodable {
        struct Part: Decodable {
            let type: String
            let content: String
            let id: String?
        }
        let headers: [String: String]
        let parts: [Part]
        let defects: Int
    }

    private static let reader = """
        import email, email.policy, json, sys
        mail = email.message_from_binary_file(sys.stdin.buffer, policy=email.policy.default)
        def content(part):
            if part.is_multipart(): return ''
            text = part.get_content()
            return text if isinstance(text, str) else text.hex()
        parts = list(mail.walk())
        print(json.dumps({
            'headers': {name: str(value) for name, value in mail.items()},
            'parts': [{'type': p.get_content_type(), 'content': content(p), 'id': p['Content-ID']} for p in parts],
            'defects': sum(len(p.defects) for p in parts),
        }))
        """

    private static func parse(_ bytes: [UInt8]) throws -> Parsed {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "mail.eml")
        try Data(bytes).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", reader]
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode(Parsed.self, from: data)
    }

    private static func message() throws -> MailMessage {
        let to = try #require(MailAddress("anna@example.org"))
        return MailMessage(to: to, subject: "È tornato 🐕", text: "Ciao = è\n--=_x\n.\n", language: .italian)
    }

    @Test("Text, HTML and picture arrive as they were written, and the headers for unsubscribing")
    func alternatives() throws {
        var mail = try Self.message()
        let picture = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        mail.html = "<p lang=\"it\">È <img src=\"cid:dog\" alt=\"\">" + String(repeating: "lungo ", count: 300) + "</p>"
        mail.picture = try MailPicture(picture, type: "image/png", name: "dog")
        mail.unsubscribe = "https://dogs.example.org/alerts/end?token=" + String(repeating: "x", count: 100)
        mail.isBulk = true
        let id = UUID()
        let letter = MIMEMessage(mail, from: try MailTests.sender(), id: id)
        let parsed = try Self.parse(letter.bytes)
        #expect(parsed.defects == 0)
        #expect(
            parsed.parts.map(\.type) == [
                "multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png",
            ]
        )
        #expect(parsed.parts[1].content.trimmingCharacters(in: .newlines) == "Ciao = è\n--=_x\n.")
        #expect(parsed.parts[3].content.trimmingCharacters(in: .newlines) == mail.html)
        #expect(parsed.parts[4].content == picture.map { String(format: "%02x", $0) }.joined())
        #expect(parsed.parts[4].id == "<dog>")
        #expect(parsed.headers["Subject"] == mail.subject)
        #expect(parsed.headers["List-Unsubscribe"] == "<\(mail.unsubscribe ?? "")>")
        #expect(parsed.headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click")
        #expect(parsed.headers["Auto-Submitted"] == "auto-generated" && parsed.headers["Precedence"] == "bulk")
        #expect(parsed.headers["Message-ID"] == "<\(id.uuidString.lowercased())@example.org>")
        let lines = String(decoding: letter.bytes, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.filter { !$0.hasPrefix("List-Unsubscribe:") }.allSatisfy { $0.utf8.count <= 78 })
    }

    @Test("Without a picture, the HTML part is the alternative; text alone is one part")
    func simpler() throws {
        var mail = try Self.message()
        let sender = try MailTests.sender()
        #expect(try Self.parse(MIMEMessage(mail, from: sender).bytes).parts.map(\.type) == ["text/plain"])
        mail.html = "<p>Ciao"
        let types = try Self.parse(MIMEMessage(mail, from: sender).bytes).parts.map(\.type)
        #expect(types == ["multipart/alternative", "text/plain", "text/html"])
    }

    @Test(
        "URLs that would break their header are rejected",
        arguments: [
            "http://dogs.example.org/", "https://", "https://a.org/ b", "https://a.org/\r\nBcc: x@example.org",
            "https://a.org/>,<https://b.org", "https://a.org/è", "https://" + String(repeating: "x", count: 500),
        ]
    )
    func invalidURLs(url: String) throws {
        var mail = try Self.message()
        mail.unsubscribe = url
        #expect(throws: ServiceError.self) { try mail.validate() }
    }

    @Test("Pictures have a size limit, a type and a plain name, and need HTML")
    func invalidPictures() throws {
        #expect(throws: ServiceError.self) {
            try MailPicture(Array(repeating: 0, count: MailPicture.maxSize + 1), type: "image/png", name: "dog")
        }
        #expect(throws: ServiceError.self) { try MailPicture([1], type: "image/svg+xml", name: "dog") }
        #expect(throws: ServiceError.self) { try MailPicture([1], type: "image/png", name: "a>\r\nX: y") }
        var mail = try Self.message()
        mail.picture = try MailPicture([1], type: "image/png", name: "dog")
        #expect(throws: ServiceError.self) { try mail.validate() }
    }
}

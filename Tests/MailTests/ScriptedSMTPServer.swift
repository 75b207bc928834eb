import Foundation
import Synchronization
import TestSupport

/// An SMTP server on loopback with predefined replies.
final class ScriptedSMTPServer: Sendable {
    struct Mail: Sendable {
        var commands: [String] = []
        var data = ""
    }

    private let listener: LoopbackListener
    private let mails = Mutex<[Mail]>([])
    private let replies: Mutex<[String: [String]]>
    private let isSilent: Bool
    private let heldDomain: String?
    private let gate = Gate(isOpen: false)
    private let connections = Atomic(0)

    /// - Parameters:
    ///   - replies: replies to use instead of 250, by the first word of the command; each is used once.
    ///   - isSilent: whether the server sends no greeting.
    ///   - heldDomain: the domain of recipients whose addresses the server accepts only after `release`.
    init(
        _ replies: [String: [String]] = [:],
        isSilent: Bool = false,
        heldDomain: String? = nil
    ) throws {
        self.heldDomain = heldDomain
        self.replies = Mutex(replies)
        self.isSilent = isSilent
        listener = try LoopbackListener()
        listener.start { [self] connection in
            connections.add(1, ordering: .relaxed)
            talk(connection)
        }
    }

    /// The mails that clients sent or tried to send, with the commands since the mail before.
    var received: [Mail] { mails.withLock(\.self) }

    /// The number of connections, including those without commands.
    var visits: Int { connections.load(ordering: .relaxed) }

    var port: UInt16 { listener.port }

    func release() { gate.open() }

    func stop() {
        release()
        listener.stop()
    }

    private func talk(_ connection: Int32) {
        guard let file = fdopen(connection, "r+") else { return }
        defer { fclose(file) }
        var mail = Mail()
        if !isSilent { say("220 test", file) }
        while let line = Self.line(of: file) {
            mail.commands.append(line)
            let word = line.split(separator: " ").first.map { $0.uppercased() } ?? ""
            if word == "RCPT", let heldDomain, line.contains(heldDomain) { gate.pass() }
            let told = replies.withLock { replies in
                replies[word, default: []].isEmpty ? nil : replies[word]?.removeFirst()
            }
            switch word {
            case "QUIT":
                finish(&mail)
                return say("221 bye", file)
            case "DATA" where told == nil:
                say("354 go on", file)
                while let line = Self.line(of: file), line != "." {
                    mail.data += (line.hasPrefix(".") ? String(line.dropFirst()) : line) + "\r\n"
                }
                let end = replies.withLock { replies in
                    replies["."]?.isEmpty == false ? replies["."]?.removeFirst() : nil
                }
                finish(&mail)
                say(end ?? "250 taken", file)
            default: say(told ?? "250 fine", file)
            }
        }
        finish(&mail)
    }

    /// Keeps what was received of a mail. The next mail may arrive on the same connection.
    private func finish(_ mail: inout Mail) {
        if mail.commands.contains(where: { $0 != "QUIT" }) { mails.withLock { $0.append(mail) } }
        mail = Mail()
    }

    private func say(_ text: String, _ file: UnsafeMutablePointer<FILE>) {
        fputs(text + "\r\n", file)
        fflush(file)
    }

    private static func line(of file: UnsafeMutablePointer<FILE>) -> String? {
        var buffer = [CChar](repeating: 0, count: 2000)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.hasSuffix("\r\n") ? String(text.dropLast()) : text
    }
}

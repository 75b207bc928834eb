import Foundation
import Synchronization

/// An SMTP server on loopback with predefined replies.
final class ScriptedSMTPServer: Sendable {
    struct Mail: Sendable {
        var commands: [String] = []
        var data = ""
    }

    let port: UInt16
    private let socket: Int32
    private let mails = Mutex<[Mail]>([])
    private let replies: Mutex<[String: [String]]>
    private let isSilent: Bool
    private let connections = Atomic(0)

    /// - Parameters:
    ///   - replies: replies to use instead of 250, by the first word of the command; each is used once.
    ///   - isSilent: whether the server sends no greeting.
    init(_ replies: [String: [String]] = [:], isSilent: Bool = false) throws {
        self.replies = Mutex(replies)
        self.isSilent = isSilent
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        socket = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
                bind(listener, plain, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, plain, &length) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                connections.add(1, ordering: .relaxed)
                Thread.detachNewThread { self.talk(connection) }
            }
        }
    }

    /// The mails that clients sent or tried to send.
    var received: [Mail] { mails.withLock(\.self) }

    /// The number of connections, including those without commands.
    var visits: Int { connections.load(ordering: .relaxed) }

    func stop() {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    private func talk(_ connection: Int32) {
        guard let file = fdopen(connection, "r+") else { return }
        defer { fclose(file) }
        var mail = Mail()
        if !isSilent { say("220 test", file) }
        while let line = Self.line(of: file) {
            mail.commands.append(line)
            let word = line.split(separator: " ").first.map { $0.uppercased() } ?? ""
            let told = replies.withLock { replies in
                replies[word, default: []].isEmpty ? nil : replies[word]?.removeFirst()
            }
            switch word {
            case "QUIT":
                mails.withLock { $0.append(mail) }
                return say("221 bye", file)
            case "DATA" where told == nil:
                say("354 go on", file)
                while let line = Self.line(of: file), line != "." {
                    mail.data += (line.hasPrefix(".") ? String(line.dropFirst()) : line) + "\r\n"
                }
                let end = replies.withLock { replies in
                    replies["."]?.isEmpty == false ? replies["."]?.removeFirst() : nil
                }
                say(end ?? "250 taken", file)
            default: say(told ?? "250 fine", file)
            }
        }
        mails.withLock { $0.append(mail) }
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

package import Foundation

/// Delivers messages.
package protocol MailTransport: Sendable {
    /// Delivers a message. Throws a `MailFailure`, or a `CancellationError` soon after its task is cancelled.
    func send(_ message: MIMEMessage) async throws

    /// Closes connections: no mail is due at present.
    func rest()
}

extension MailTransport {
    package func rest() {}
}

/// The reason why a message was not accepted.
package struct MailFailure: Error, CustomStringConvertible {
    /// Whether another attempt would fail, too.
    package let isPermanent: Bool
    /// Whether no mail can be sent at present, whoever its recipient is.
    package let isOfServer: Bool
    /// A description without addresses.
    package let description: String

    package init(_ description: String, isPermanent: Bool = false, isOfServer: Bool = false) {
        (self.description, self.isPermanent, self.isOfServer) = (description, isPermanent, isOfServer)
    }
}

/// Writes messages into a folder, as files that mail programs can open. Intended for development and tests.
package struct FolderTransport: MailTransport {
    private let folder: URL

    /// Creates the folder if it does not exist.
    package init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    package func send(_ message: MIMEMessage) async throws {
        let name = "\(Int(Date().timeIntervalSince1970 * 1000))-\(UUID().uuidString.lowercased()).eml"
        try Data(message.bytes).write(to: folder.appending(path: name), options: .atomic)
    }
}

package import Foundation

/// What takes letters where they go.
package protocol MailTransport: Sendable {
    /// Throws a `MailFailure`, or a `CancellationError` soon after its task is cancelled.
    func send(_ message: MIMEMessage) async throws
}

/// Why a message was not taken.
package struct MailFailure: Error, CustomStringConvertible {
    /// Whether it would not be taken later either.
    package let isPermanent: Bool
    /// Without addresses.
    package let description: String

    package init(_ description: String, isPermanent: Bool = false) {
        self.description = description
        self.isPermanent = isPermanent
    }
}

/// Leaves letters in a folder, as files that mail programs open: for development and tests.
package struct FolderTransport: MailTransport {
    private let folder: URL

    /// Makes the folder where it is missing.
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

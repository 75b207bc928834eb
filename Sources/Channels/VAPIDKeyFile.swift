import Domain
package import Foundation
package import WebPush

/// The file with the key by which push services recognise the server.
package enum VAPIDKeyFile {
    /// In the data folder.
    package static let name = "vapid-key.pem"

    /// Returns the key in a file. Makes the file, which nobody else can read, if it does not exist.
    package static func readOrCreate(_ file: URL) throws -> VAPIDKey {
        if FileManager.default.fileExists(atPath: file.path) { return try read(file, field: name) }
        let key = VAPIDKey()
        // Under another name first, so that an interruption leaves no part of a key.
        let partial = file.appendingPathExtension("part")
        try? FileManager.default.removeItem(at: partial)
        let isMade = FileManager.default.createFile(
            atPath: partial.path,
            contents: nil,
            attributes: [.posixPermissions: 0o600]
        )
        guard isMade else { throw ServiceError(.diskFailing, "\(partial.path) cannot be written") }
        let handle = try FileHandle(forWritingTo: partial)
        try handle.write(contentsOf: Data(key.pem.utf8))
        try handle.synchronize()
        try handle.close()
        try FileManager.default.moveItem(at: partial, to: file)
        return key
    }

    /// - Parameter field: the name of the setting, for errors.
    package static func read(_ file: URL, field: String) throws -> VAPIDKey {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            throw ServiceError.invalid(field, "\(file.path) cannot be read")
        }
        return try VAPIDKey(pem: text, field: field)
    }
}

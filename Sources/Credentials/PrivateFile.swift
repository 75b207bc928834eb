import Domain
package import Foundation

/// A file with a secret that nobody but its owner can read.
package enum PrivateFile {
    /// Returns the contents of the file. Makes the file if it does not exist.
    package static func readOrCreate(_ file: URL, _ contents: () -> Data) throws -> Data {
        if FileManager.default.fileExists(atPath: file.path) { return try read(file) }
        let data = contents()
        // Under another name first, so that an interruption leaves no part of a secret.
        let partial = file.appendingPathExtension("part")
        try? FileManager.default.removeItem(at: partial)
        let isMade = FileManager.default.createFile(
            atPath: partial.path,
            contents: nil,
            attributes: [.posixPermissions: 0o600]
        )
        guard isMade else { throw ServiceError(.diskFailing, "\(partial.path) cannot be written") }
        let handle = try FileHandle(forWritingTo: partial)
        try handle.write(contentsOf: data)
        try handle.synchronize()
        try handle.close()
        try FileManager.default.moveItem(at: partial, to: file)
        // Otherwise, a power cut could remove the file that data in the database needs.
        try FileHandle(forReadingFrom: file.deletingLastPathComponent()).synchronize()
        return data
    }

    static func read(_ file: URL) throws -> Data {
        guard let data = try? Data(contentsOf: file) else {
            throw ServiceError(.diskFailing, "\(file.path) cannot be read")
        }
        return data
    }
}

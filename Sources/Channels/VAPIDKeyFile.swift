import Credentials
import Domain
package import Foundation
package import WebPush

/// The file with the key by which push services recognise the server.
package enum VAPIDKeyFile {
    /// In the data folder.
    package static let name = "vapid-key.pem"

    /// Returns the key in a file. Makes the file, which nobody else can read, if it does not exist.
    package static func readOrCreate(_ file: URL) throws -> VAPIDKey {
        let text = String(decoding: try PrivateFile.readOrCreate(file) { Data(VAPIDKey().pem.utf8) }, as: UTF8.self)
        return try VAPIDKey(pem: text, field: name)
    }

    /// - Parameter field: the name of the setting, for errors.
    package static func read(_ file: URL, field: String) throws -> VAPIDKey {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            throw ServiceError.invalid(field, "\(file.path) cannot be read")
        }
        return try VAPIDKey(pem: text, field: field)
    }
}

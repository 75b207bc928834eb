package import Foundation
package import SystemPackage

/// The folder for temporary files without names, which the system deletes when they are closed, even after a crash.
package struct ScratchFolder: Sendable {
    private let url: URL

    package init(_ url: URL) {
        self.url = url
    }

    package func openFile() throws -> FileDescriptor {
        do {
            return try FileDescriptor.open(
                FilePath(url.path),
                .readWrite,
                options: Self.temporaryFile,
                permissions: .ownerReadWrite
            )
        } catch Errno.notSupported, Errno.isDirectory {
            // Some file systems do not support files without names.
            let path = FilePath(url.appending(path: ".\(UUID().uuidString)").path)
            let file = try FileDescriptor.open(
                path,
                .readWrite,
                options: [.create, .exclusiveCreate],
                permissions: .ownerReadWrite
            )
            unlink(path.string)
            return file
        }
    }

    /// `O_TMPFILE`, a macro that is not available in Swift.
    private static let temporaryFile = FileDescriptor.OpenOptions(rawValue: 0o20_000_000 | O_DIRECTORY)
}

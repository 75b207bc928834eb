package import Foundation

/// The space on the disk of a folder, in bytes.
package struct DiskSpace: Sendable {
    package let total: Int
    /// The space that users other than root may take.
    package let free: Int

    /// Returns nil if the disk cannot be examined.
    package init?(of folder: URL) {
        var disk = statvfs()
        guard statvfs(folder.path, &disk) == 0 else { return nil }
        total = Int(disk.f_blocks) * Int(disk.f_frsize)
        free = Int(disk.f_bavail) * Int(disk.f_frsize)
    }
}

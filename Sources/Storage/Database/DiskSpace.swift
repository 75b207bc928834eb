package import Domain
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

/// The free space that photos leave to the database, whose write-ahead log must be able to grow.
package struct DiskReserve: Sendable {
    /// In bytes.
    private static let minDefault = 1_000_000_000

    private let folder: URL
    private let bytes: Int?

    /// - Parameter bytes: nil for 1 GB, or 5 % of the disk if that is more.
    package init(of folder: URL, bytes: Int? = nil) {
        self.folder = folder
        self.bytes = bytes
    }

    /// Throws `StorageFault.full` if less than the reserve is free. A disk that cannot be examined has room.
    package func check() throws(StorageFault) {
        guard let disk = DiskSpace(of: folder) else { return }
        if disk.free < bytes ?? max(Self.minDefault, disk.total / 20) { throw .full }
    }
}

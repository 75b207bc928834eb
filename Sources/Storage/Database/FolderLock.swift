package import Domain
package import Foundation

/// A lock on a data folder, across processes: a file that one process at a time holds with `flock`. The kernel releases
/// it when the process ends.
package final class FolderLock: Sendable {
    private static let pause = Duration.milliseconds(100)

    private let descriptor: CInt

    private init(_ path: String) throws(ServiceError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .invalid("data", "\(path): expected a file that may be written") }
    }

    /// Closing the descriptor releases the lock.
    deinit { close(descriptor) }

    /// Returns the lock that a server holds while it runs. Throws `conflict` if another server runs on the folder:
    /// limits, caches and the live stream of two servers would differ.
    package static func server(_ folder: URL) throws(ServiceError) -> FolderLock {
        let path = folder.appending(path: "server.lock").path
        let lock = try FolderLock(path)
        guard try lock.tryToTake(path) else {
            throw ServiceError(
                .conflict,
                "data: another server runs on \(folder.path): stop it first, or use another folder"
            )
        }
        return lock
    }

    /// Runs `body` while no other process imports or removes places.
    ///
    /// - Parameter waiting: is called once if another process holds the lock.
    static func whileImporting<Value>(
        _ folder: URL,
        waiting: () -> Void,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let path = folder.appending(path: "gazetteer.lock").path
        let lock = try FolderLock(path)
        var isWaiting = false
        // Polls instead of blocking in `flock`: blocking would occupy a thread that the holder of the lock may need.
        while try !lock.tryToTake(path) {
            if !isWaiting { waiting() }
            isWaiting = true
            try await Task.sleep(for: pause)
        }
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }

    /// Returns false if another process holds the lock.
    private func tryToTake(_ path: String) throws(ServiceError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno != EWOULDBLOCK else { return false }
            guard errno == EINTR else { throw .invalid("data", "\(path): expected a file system with locks") }
        }
        return true
    }
}

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
        guard try lock.tryRepeatedly(path) else {
            throw ServiceError(
                .conflict,
                "data: another server runs on \(folder.path): stop it first, or use another folder"
            )
        }
        // The record of a former server does not apply.
        ftruncate(lock.descriptor, 0)
        return lock
    }

    /// Writes what other processes read with `serverRecord(_:)` while the lock is held.
    package func write(_ record: ServerRecord) throws {
        let bytes = try JSONEncoder().encode(record)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, Array(bytes), bytes.count, 0) == bytes.count else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// The record of the server that runs on the folder; nil if none runs, or if it has not started to answer.
    package static func serverRecord(_ folder: URL) -> ServerRecord? {
        let path = folder.appending(path: "server.lock").path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return try? JSONDecoder().decode(ServerRecord.self, from: data)
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

    /// Returns false if another process holds the lock for more than the moment that `serverRecord(_:)` takes.
    private func tryRepeatedly(_ path: String) throws(ServiceError) -> Bool {
        for _ in 0..<5 {
            if try tryToTake(path) { return true }
            usleep(20_000)
        }
        return false
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

/// A server's record of itself, for other processes on the machine.
package struct ServerRecord: Codable, Sendable {
    package let pid: Int32
    package let version: String
    package let startedAt: String
    /// Where it answers on this machine.
    package let address: String

    package init(pid: Int32, version: String, startedAt: Timestamp, address: String) {
        self.pid = pid
        self.version = version
        self.startedAt = startedAt.text
        self.address = address
    }
}

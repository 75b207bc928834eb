import Domain
import Foundation

/// Permits one import or removal of places at a time per data folder, across processes. The kernel releases the lock
/// when the process ends.
struct ImportLock {
    private static let fileName = "gazetteer.lock"
    private static let pause = Duration.milliseconds(100)

    let folder: URL

    /// - Parameter waiting: is called once if another process holds the lock.
    func hold<Value>(waiting: () -> Void, _ body: () async throws -> Value) async throws -> Value {
        let path = folder.appending(path: Self.fileName).path
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw ServiceError.invalid("data", "\(path): expected a file that may be written")
        }
        // Closing the descriptor releases the lock.
        defer { close(descriptor) }
        var isWaiting = false
        // Polls instead of blocking in `flock`: blocking would occupy a thread that the holder of the lock may need.
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw ServiceError.invalid("data", "\(path): expected a file system with locks")
            }
            if !isWaiting { waiting() }
            isWaiting = true
            try await Task.sleep(for: Self.pause)
        }
        return try await body()
    }
}

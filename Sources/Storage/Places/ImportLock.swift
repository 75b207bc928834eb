import Domain
import Foundation

/// Lets one import or removal of places go on at a time in a data folder, whichever process it runs in. The kernel frees it
/// when its holder dies.
struct ImportLock {
    private static let fileName = "gazetteer.lock"
    private static let pause = Duration.milliseconds(100)

    let folder: URL

    /// - Parameter waiting: is told once, where another one goes on.
    func hold<Value>(waiting: () -> Void, _ body: () async throws -> Value) async throws -> Value {
        let path = folder.appending(path: Self.fileName).path
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw ServiceError.invalid("data", "\(path): expected a file that may be written")
        }
        // That frees it.
        defer { close(descriptor) }
        var isWaiting = false
        // Waiting for the kernel would keep a thread that who holds the lock may need.
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

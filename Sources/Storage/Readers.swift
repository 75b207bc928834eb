import GRDB
import Synchronization

/// Connections that only read, each in the hands of one caller at a time.
///
/// Reads run on their caller's thread, so there are never more connections than threads, and nobody waits for one.
/// GRDB's own pool hands its connections out by way of queues, which under load cost more than a search.
final class Readers: Sendable {
    private let path: String
    private let configuration: Configuration
    private let idle = Mutex<[DatabaseQueue]>([])

    init(path: String, _ configuration: Configuration) {
        self.path = path
        self.configuration = configuration
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let reader = try idle.withLock { $0.popLast() } ?? DatabaseQueue(path: path, configuration: configuration)
        defer { idle.withLock { $0.append(reader) } }
        return try reader.inDatabase(body)
    }

    func close() throws {
        for reader in idle.withLock({ readers in
            defer { readers = [] }
            return readers
        }) {
            try reader.close()
        }
    }
}

import Concurrency
import Domain
import Foundation
import ObjectStorage
import Synchronization

/// A lock is an object in the bucket, which a backup renews. Servers that remove files look for such objects.
extension PhotoBucket {
    static let lockPrefix = "locks/"
    private static let renewal = Duration.seconds(60)
    /// The time in seconds after which a lock of a process that has ended no longer counts.
    private static let maxLockAge = 900.0

    package func withRemovalLocked<Value>(_ body: () async throws -> Value) async throws -> Value {
        let name = "\(Self.lockPrefix)\(UUID().uuidString.lowercased())"
        let renewed = RenewalTime()
        try await lock(name, renewed)
        let keeper = Task {
            while (try? await Task.sleep(for: Self.renewal)) != nil { try? await lock(name, renewed) }
        }
        do {
            let value = try await body()
            keeper.cancel()
            _ = await keeper.value
            // Half of the time is for the difference between two clocks, and for a request that arrives late.
            guard renewed.age < Self.maxLockAge / 2 else {
                throw BucketFailure.unavailable("the store did not confirm for long that the photos are being copied")
            }
            try? await bucket.delete(name)
            return value
        } catch {
            keeper.cancel()
            _ = await keeper.value
            try? await bucket.delete(name)
            throw error
        }
    }

    private func lock(_ name: String, _ renewed: RenewalTime) async throws {
        let begin = MonotonicClock.seconds
        try await bucket.put(name, [], type: "text/plain")
        renewed.set(begin)
    }

    /// Returns whether a backup copies photos. Removes the locks that no longer count.
    func hasRemovalLock() async throws -> Bool {
        var isLocked = false
        var old: [String] = []
        try await bucket.list(Self.lockPrefix) { page in
            // Both times are the store's.
            let now = (page.time ?? .now).milliseconds
            for object in page.objects {
                let age = object.modifiedAt.map { Double(now - $0.milliseconds) / 1000 } ?? 0
                if age > Self.maxLockAge { old.append(object.name) } else { isLocked = true }
            }
            return !isLocked
        }
        for name in old { try? await bucket.delete(name) }
        return isLocked
    }
}

/// When a lock was last confirmed, by the monotonic clock.
private final class RenewalTime: Sendable {
    private let time = Mutex(0.0)

    func set(_ seconds: Double) { time.withLock { $0 = seconds } }

    /// In seconds.
    var age: Double { MonotonicClock.seconds - time.withLock(\.self) }
}

import Domain
import Foundation
import Storage
import Synchronization

/// Collects the times at which sessions were used, and writes them to the database later, so that read requests do not
/// write.
final class SessionUses: Sendable {
    static let interval = Duration.seconds(10)
    /// The maximum number of collected uses. Uses beyond it are dropped; the next use of the session is recorded
    /// instead.
    private static let maxNoted = 50_000

    private let noted = Mutex<[Data: Timestamp]>([:])

    /// Records a use.
    ///
    /// - Parameter last: the use recorded in the database. If it is in the same ten minutes of the clock, the new one
    ///   is not recorded.
    func note(_ tokenHash: Data, last: Timestamp, now: Timestamp) {
        guard last.text.utf8.prefix(Self.tenMinutes).elementsEqual(now.text.utf8.prefix(Self.tenMinutes)) == false
        else { return }
        noted.withLock { noted in
            guard noted.count < Self.maxNoted || noted[tokenHash] != nil else { return }
            noted[tokenHash] = now
        }
    }

    /// The length of a timestamp's prefix that identifies ten minutes, such as `2026-11-21T22:4`.
    private static let tenMinutes = 15
    /// The maximum number of sessions written in one transaction.
    private static let piece = 500

    /// Writes collected uses. Returns false if there are no more.
    func write(to sessions: SessionStore) async throws -> Bool {
        let uses = noted.withLock { noted in
            let uses = Dictionary(uniqueKeysWithValues: noted.prefix(Self.piece).map { ($0.key, $0.value) })
            for key in uses.keys { noted[key] = nil }
            return uses
        }
        guard !uses.isEmpty else { return false }
        try await sessions.touch(uses)
        return uses.count == Self.piece
    }
}

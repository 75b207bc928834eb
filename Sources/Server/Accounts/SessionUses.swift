import Domain
import Foundation
import Storage
import Synchronization

/// Remembers which sessions were used, until that is written down: reading stays reading.
final class SessionUses: Sendable {
    static let interval = Duration.seconds(10)
    /// What comes beyond is noted with the session's next use.
    private static let maxNoted = 50_000

    private let noted = Mutex<[Data: Timestamp]>([:])

    /// - Parameter last: the use that is on record; one within the same ten minutes counts as this one.
    func note(_ tokenHash: Data, last: Timestamp, now: Timestamp) {
        guard last.text.utf8.prefix(Self.tenMinutes).elementsEqual(now.text.utf8.prefix(Self.tenMinutes)) == false
        else { return }
        noted.withLock { noted in
            guard noted.count < Self.maxNoted || noted[tokenHash] != nil else { return }
            noted[tokenHash] = now
        }
    }

    /// Of `2026-11-21T22:4`.
    private static let tenMinutes = 15
    /// Sessions that are written at once.
    private static let piece = 500

    /// False where there is nothing more to write.
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

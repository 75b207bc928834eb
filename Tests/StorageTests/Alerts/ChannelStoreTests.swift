import SQL
import TestSupport
import Testing

@testable import Storage

@Suite("Messages to browsers and webhooks")
struct ChannelStoreTests {
    @Test(
        "What is to be sent next is found by the index of its kind, in its order",
        .enabled(if: TestDatabase.isFile, "only SQLite explains its steps so"),
        arguments: [
            (ChannelStore.headsSQL, ["push", "webhook"]), (ChannelStore.followingSQL(isPush: true), ["push"]),
            (ChannelStore.followingSQL(isPush: false), ["webhook"]),
        ]
    )
    func indexes(sql: String, kinds: [String]) async throws {
        let board = try await TestDatabase()
        let steps = try await board.database.read { db in
            try db.rows("EXPLAIN QUERY PLAN " + sql) { row in row.string(3) ?? "" }
        }
        for kind in kinds {
            #expect(steps.contains { $0.contains("COVERING INDEX outgoing_event_\(kind)_turn (host=?)") }, "\(steps)")
        }
        #expect(
            !steps.contains {
                $0.contains("INDEX outgoing_event_due (host=? AND next_attempt_at<?)") && kinds.count == 1
            })
    }
}

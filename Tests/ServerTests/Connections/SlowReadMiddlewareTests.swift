import Concurrency
import Domain
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import SQL
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("Slow reads")
struct SlowReadMiddlewareTests {
    private static let onEventLoops: Comment = "only database files are read on event loops"

    /// Counts to a number in SQL. A million takes a tenth of a second.
    private static func read(_ rows: Int, _ board: TestDatabase) async throws {
        let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) FROM n"
        let counted = try await board.database.read { db in try db.value(sql, [rows]) ?? 0 }
        #expect(counted == rows)
    }

    /// Handles a request with the middleware, and returns how often the route was called.
    private static func handle(
        _ method: HTTPRequest.Method,
        _ engine: SQLEngine = .spatiaLite,
        _ body: () async throws -> Void
    ) async throws -> Int {
        let calls = Mutex(0)
        let request = Request(
            head: HTTPRequest(method: method, scheme: "http", authority: "localhost", path: "/"),
            body: RequestBody(buffer: ByteBuffer())
        )
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: .init(label: "test"))
        let meter = RequestMeter(client: ClientPrefixes(["client"]))
        try await RequestMeter.$current.withValue(meter) {
            _ = try await SlowReadMiddleware(executor: SlowReadExecutor(), engine: engine).handle(
                request,
                context: ServiceContext(source: source)
            ) { _, _ in
                calls.withLock { $0 += 1 }
                try await body()
                return Response(status: .ok)
            }
        }
        return calls.withLock(\.self)
    }

    @Test(
        "A short read is handled once, a longer one again with a larger budget",
        .enabled(if: TestDatabase.isFile, onEventLoops)
    )
    func trial() async throws {
        let board = try await TestDatabase()
        #expect(try await Self.handle(.get) { try await Self.read(10, board) } == 1)
        #expect(try await Self.handle(.get) { try await Self.read(100_000, board) } == 2)
    }

    @Test(
        "Errors that the route hides do not hide that the trial was exceeded",
        .enabled(if: TestDatabase.isFile, onEventLoops)
    )
    func hidden() async throws {
        let board = try await TestDatabase()
        let found = Mutex(0)
        let calls = try await Self.handle(.get) {
            if (try? await Self.read(100_000, board)) != nil { found.withLock { $0 += 1 } }
        }
        #expect(calls == 2 && found.withLock(\.self) == 1)
    }

    @Test("Work on the executor can use the executor again")
    func nested() async throws {
        let executor = SlowReadExecutor()
        let value = try await executor.run(nil) { try await executor.run(nil) { try await executor.run(nil) { 7 } } }
        #expect(value == 7)
    }

    @Test("A read within a read does not extend its limit")
    func nestedLimit() async throws {
        let board = try await TestDatabase()
        let meter = RequestMeter(client: ClientPrefixes(["client"]))
        meter.limitReads(.milliseconds(20))
        await #expect(throws: ServiceError.self) {
            try await RequestMeter.$current.withValue(meter) {
                try await board.database.read { db in
                    try PreparedStatement.within(processorTime: 3600, duration: nil) {
                        // This would count forever.
                        let numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                        _ = try db.value("\(numbers) SELECT count(*) FROM n") as Int?
                    }
                }
            }
        }
    }

    @Test("All reads of a request together have a budget", arguments: [HTTPRequest.Method.get, .post])
    func budget(method: HTTPRequest.Method) async throws {
        let board = try await TestDatabase()
        let error = await #expect(throws: ServiceError.self) {
            _ = try await Self.handle(method, board.database.engine) {
                for _ in 0..<1000 { try await Self.read(100_000, board) }
            }
        }
        #expect(error?.code == .unavailable)
    }
}

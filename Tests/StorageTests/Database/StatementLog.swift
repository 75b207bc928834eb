import CSpatiaLite
import Foundation
import SQL

extension SQLConnection {
    /// Runs `body` and returns the SQL of the statements that ran meanwhile. The engine must be SpatiaLite.
    func statements(_ body: () throws -> Void) rethrows -> [String] {
        let log = StatementLog()
        sqlite3_trace_v2(
            sqlite.handle,
            CUnsignedInt(SQLITE_TRACE_STMT),
            { _, log, _, sql in
                if let log, let sql = sql?.assumingMemoryBound(to: CChar.self) {
                    Unmanaged<StatementLog>.fromOpaque(log).takeUnretainedValue().add(String(cString: sql))
                }
                return 0
            },
            Unmanaged.passUnretained(log).toOpaque()
        )
        defer { sqlite3_trace_v2(sqlite.handle, 0, nil, nil) }
        try body()
        return log.statements
    }
}

private final class StatementLog {
    private(set) var statements: [String] = []

    func add(_ sql: String) { statements.append(sql.trimmingCharacters(in: .whitespacesAndNewlines)) }
}

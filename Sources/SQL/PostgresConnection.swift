import CLibPQ
import Foundation

/// A connection to a PostgreSQL server, which serves one caller at a time.
///
/// Its methods wait for the server on the caller's thread, at most until `deadline`. They use libpq in its asynchronous
/// mode, because only this can limit the time if the server does not answer.
package final class PostgresConnection: @unchecked Sendable {
    /// A connection that exceeds its deadline cannot be used any more: the answer may still come.
    package private(set) var isBroken = false
    /// When the caller stops to wait; `statement_timeout` of the server should end its statements before.
    package var deadline: ContinuousClock.Instant
    private let handle: OpaquePointer
    /// Whether the results of statements that were sent have not been read yet.
    private var hasUnreadResults = false
    /// The statements that the server has prepared, by their SQL.
    private var prepared: [String: (name: String, parameters: Int)] = [:]

    /// Connects to the first server of the address that accepts the connection.
    package init(_ address: PostgresAddress, within patience: Duration) throws {
        deadline = .now + patience
        guard let handle = address.start() else { throw PostgresError(code: "53200", message: "no memory") }
        self.handle = handle
        // If this throws, `deinit` frees the connection.
        try connect()
    }

    deinit { PQfinish(handle) }

    private func connect() throws {
        guard PQstatus(handle) != CONNECTION_BAD else { throw failure(PostgresError.unableToConnect) }
        // Notices would be printed to standard error.
        _ = PQsetNoticeProcessor(handle, { _, _ in }, nil)
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED else { throw failure(PostgresError.unableToConnect) }
            try wait(for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
            state = PQconnectPoll(handle)
        }
        guard PQsetnonblocking(handle, 1) == 0 else { throw failure(PostgresError.unableToConnect) }
    }

    /// Whether a transaction is open, also one that has failed. One whose end was sent counts as ended.
    package var isInTransaction: Bool { !hasUnreadResults && PQtransactionStatus(handle) != PQTRANS_IDLE }

    /// The server that accepted the connection: a host name or the folder of a socket.
    package var host: String { PQhost(handle).map { String(cString: $0) } ?? "" }

    /// Runs one statement and returns all its rows.
    ///
    /// - Parameter isKept: whether the server keeps the prepared statement for the next call with this SQL.
    func run(_ sql: String, _ values: [SQLValue], isKept: Bool) throws -> PostgresResult {
        try readResults()
        guard isKept else {
            let query = Placeholders(sql)
            return try send(sql, values, query.count) { count, texts, lengths, formats in
                PQsendQueryParams(handle, query.sql, count, nil, texts, lengths, formats, 1)
            }
        }
        let statement = try prepare(sql)
        return try send(sql, values, statement.parameters) { count, texts, lengths, formats in
            PQsendQueryPrepared(handle, statement.name, count, texts, lengths, formats, 1)
        }
    }

    /// Runs several statements without parameters. Their rows are ignored.
    package func run(script: String) throws {
        try send(script: script)
        try readResults()
    }

    /// Sends statements without parameters. The next call of this connection waits for their end, and throws their error.
    package func send(script: String) throws {
        try readResults()
        try start(PQsendQuery(handle, script))
        hasUnreadResults = true
    }

    private func readResults() throws {
        guard hasUnreadResults else { return }
        hasUnreadResults = false
        _ = try finish(nil)
    }

    /// Runs a statement `COPY ... FROM STDIN` with data in its text format.
    func copy(_ sql: String, _ text: [UInt8]) throws {
        try readResults()
        try start(PQsendQuery(handle, sql))
        guard let first = try nextResult() else { throw lost() }
        guard first.acceptsCopy else {
            _ = try finish(sql, first)
            throw lost()
        }
        // libpq keeps what the server does not take at once, so pieces limit its memory.
        let piece = 1 << 20
        for begin in stride(from: 0, to: text.count, by: piece) {
            try text[begin..<min(text.count, begin + piece)].withUnsafeBytes { bytes in
                let data = bytes.assumingMemoryBound(to: CChar.self)
                try start(PQputCopyData(handle, data.baseAddress, CInt(data.count)))
            }
        }
        try start(PQputCopyEnd(handle, nil))
        _ = try finish(sql)
    }

    private func prepare(_ sql: String) throws -> (name: String, parameters: Int) {
        if let known = prepared[sql] { return known }
        let query = Placeholders(sql)
        let name = "s\(prepared.count)"
        // Parameters without types: PostgreSQL takes the type of the column that each is compared with.
        try start(PQsendPrepare(handle, name, query.sql, 0, nil))
        _ = try finish(sql)
        prepared[sql] = (name, query.count)
        return (name, query.count)
    }

    // MARK: - Values

    private typealias Send = (
        _ count: CInt, UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<CInt>?,
        _ formats: UnsafePointer<CInt>?
    ) throws -> CInt

    private func send(_ sql: String, _ values: [SQLValue], _ parameters: Int, _ call: Send) throws -> PostgresResult {
        // SQLite reads parameters that are not bound as NULL, and refuses surplus values.
        let values = values + Array(repeating: .null, count: max(0, parameters - values.count))
        var bytes: [UInt8] = []
        var ranges: [Range<Int>?] = []
        for value in values {
            let start = bytes.count
            guard value.append(to: &bytes) else {
                ranges.append(nil)
                continue
            }
            ranges.append(start..<bytes.count)
            bytes.append(0)
        }
        let lengths = ranges.map { CInt($0?.count ?? 0) }
        let formats: [CInt] = values.map { if case .blob = $0 { 1 } else { 0 } }
        try bytes.withUnsafeBytes { bytes in
            let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let texts = ranges.map { range in range.flatMap { base?.advanced(by: $0.lowerBound) } }
            try start(call(CInt(values.count), texts, lengths, formats))
        }
        return try finish(sql)
    }

    // MARK: - Waiting

    private func start(_ accepted: CInt) throws {
        guard accepted == 1 else { throw lost() }
        var state = PQflush(handle)
        while state == 1 {
            try wait(for: POLLIN | POLLOUT)
            guard PQconsumeInput(handle) == 1 else { throw lost() }
            state = PQflush(handle)
        }
        guard state == 0 else { throw lost() }
    }

    /// Reads all answers of a query. Returns the last one; throws the first error.
    ///
    /// - Parameter first: the first answer, if it was read already.
    private func finish(_ sql: String?, _ first: PostgresResult? = nil) throws -> PostgresResult {
        var (last, error) = (first, first?.error(sql))
        while let result = try nextResult() {
            error = error ?? result.error(sql)
            last = result
        }
        if let error {
            if error.isConnectionLoss || PQstatus(handle) == CONNECTION_BAD { isBroken = true }
            throw error
        }
        guard let last else { throw lost() }
        return last
    }

    /// Returns nil if there are no more answers.
    private func nextResult() throws -> PostgresResult? {
        while PQisBusy(handle) == 1 {
            try wait(for: POLLIN)
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
        return PQgetResult(handle).map(PostgresResult.init)
    }

    private func wait(for events: Int32) throws {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        while true {
            let left = deadline - .now
            guard left > .zero, descriptor.fd >= 0 else { break }
            let milliseconds = min(Double(CInt.max), (left / .milliseconds(1)).rounded(.up))
            switch poll(&descriptor, 1, CInt(milliseconds)) {
            case 0: continue
            case -1 where errno == EINTR: continue
            case -1: throw lost()
            default: return
            }
        }
        isBroken = true
        throw PostgresError(code: PostgresError.connectionFailure, message: "the database does not answer in time")
    }

    private func lost() -> PostgresError {
        isBroken = true
        return failure(PostgresError.connectionFailure)
    }

    private func failure(_ code: String) -> PostgresError {
        let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        return PostgresError(code: code, message: message.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}

extension SQLValue {
    /// Appends the value as PostgreSQL reads it: texts, and bytes as they are. Returns false for NULL.
    fileprivate func append(to bytes: inout [UInt8]) -> Bool {
        switch self {
        case .integer(let number): bytes += Array(String(number).utf8)
        case .real(let number): bytes += Array(number.postgresText.utf8)
        case .text(let text): bytes += Array(text.utf8)
        case .blob(let blob): bytes += blob
        case .null: return false
        }
        return true
    }
}

extension Double {
    var postgresText: String {
        guard isInfinite else { return String(self) }
        return self < 0 ? "-Infinity" : "Infinity"
    }
}

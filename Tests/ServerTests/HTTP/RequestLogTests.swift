import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import HTTP

@Suite("Request log")
struct RequestLogTests {
    private final class Lines: TextOutputStream, Sendable {
        let all = Mutex<[String]>([])

        func write(_ line: String) { all.withLock { $0.append(line) } }
    }

    @Test("Ten refused requests a second are logged of each status, and the next line tells how many were omitted")
    func sampling() {
        let seconds = Mutex(5.0)
        let log = RequestLog { seconds.withLock(\.self) }
        let lines = Lines()
        let logger = Logger(label: "test") { StreamLogHandler(label: $0, stream: lines) }
        func request(_ status: HTTPResponse.Status, times: Int = 1) -> [String] {
            for _ in 0..<times { log.log(.get, route: "/x", status, took: .zero, to: logger) }
            return lines.all.withLock { all in
                defer { all = [] }
                return all
            }
        }
        #expect(request(.notFound, times: 500).count == 10)
        #expect(request(.tooManyRequests, times: 500).count == 10)
        #expect(request(.serviceUnavailable, times: 500).count == 10)
        #expect(request(.ok, times: 500).count == 500)
        #expect(request(.internalServerError, times: 500).count == 500)
        seconds.withLock { $0 = 6 }
        let next = request(.notFound, times: 2)
        #expect(next.map { $0.contains("omitted=490") } == [true, false])
    }
}

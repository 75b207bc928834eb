import Foundation
import Logging
import SystemPackage
import Testing

@testable import Server

@Suite("Log format")
struct LogFormatTests {
    private static func lines(_ format: LogFormat, _ write: (Logger) -> Void) throws -> [String] {
        let (reading, writing) = try FileDescriptor.pipe()
        let output = LogOutput(writing, format)
        write(Logger(label: "dogs") { LineLogHandler(label: $0, output: output) })
        output.flush(withinSeconds: 60)
        try writing.close()
        let handle = FileHandle(fileDescriptor: reading.rawValue, closeOnDealloc: true)
        let text = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    @Test("A line of text has the time, level, label, metadata, source and message")
    func text() throws {
        let line = try #require(
            Self.lines(LogFormat()) {
                $0.info("request", metadata: ["status": "200", "method": "GET"], source: "Server")
            }.first
        )
        let pattern =
            /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info dogs: method=GET status=200 \[Server\] request/
        #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
    }

    @Test("With json, each event is one line with one object, whatever its texts contain")
    func json() throws {
        let hostile = "two\nlines \"quoted\" \u{1b}[31m {\"level\":\"critical\"}"
        let lines = try Self.lines(LogFormat(.json)) { logger in
            var logger = logger
            logger[metadataKey: "request"] = "7"
            logger.error("\(hostile)", metadata: ["cause": "\(hostile)", "more": ["a": "1"]], source: "Server")
            logger.warning("plain")
        }
        #expect(lines.count == 2)
        let objects = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        let first = try #require(objects[0])
        #expect(Set(first.keys) == ["time", "level", "label", "source", "message", "metadata"])
        #expect(first["level"] as? String == "error")
        #expect(first["message"] as? String == hostile)
        let metadata = try #require(first["metadata"] as? [String: Any])
        #expect(metadata["cause"] as? String == hostile)
        #expect(metadata["request"] as? String == "7")
        #expect(metadata["more"] as? [String: String] == ["a": "1"])
        #expect(objects[1]?["level"] as? String == "warning")
        let time = try #require(first["time"] as? String)
        let written = try Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        #expect(abs(written.timeIntervalSinceNow) < 600)
    }

    @Test("In the journal, each line begins with its priority", arguments: LogFormat.Style.allCases)
    func priorities(style: LogFormat.Style) throws {
        let lines = try Self.lines(LogFormat(style, hasPriority: true)) { logger in
            var logger = logger
            logger.logLevel = .trace
            for level in Logger.Level.allCases { logger.log(level: level, "x") }
        }
        #expect(lines.map { $0.prefix(3) } == ["<7>", "<7>", "<6>", "<5>", "<4>", "<3>", "<2>"])
    }

    @Test("The journal is recognised by the device and inode of its stream")
    func journal() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        defer { for file in [reading, writing] { try? file.close() } }
        var status = stat()
        fstat(writing.rawValue, &status)
        #expect(LogFormat.isJournal(writing.rawValue, stream: "\(status.st_dev):\(status.st_ino)"))
        for other in ["\(status.st_dev):\(status.st_ino + 1)", "\(status.st_ino)", "", nil] {
            #expect(!LogFormat.isJournal(writing.rawValue, stream: other))
        }
    }
}

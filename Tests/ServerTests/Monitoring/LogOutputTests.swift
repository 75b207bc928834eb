import Foundation
import Logging
import Server
import SystemPackage
import Testing

@Suite("Log output")
struct LogOutputTests {
    private static func line(_ number: Int) -> String { "line \(number) \(String(repeating: "x", count: 80))\n" }

    @Test("Lines are written in order")
    func order() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        let output = LogOutput(writing)
        let logger = Logger(label: "test") { LineLogHandler(label: $0, output: output) }
        for number in 0..<100 { logger.info("line \(number)") }
        output.flush(withinSeconds: 60)
        try writing.close()
        let lines = try Self.lines(reading)
        #expect(lines.count == 100)
        #expect(lines.enumerated().allSatisfy { $1.hasSuffix("line \($0)") })
    }

    @Test("While nobody reads, writing does not wait, and the dropped lines are counted")
    func stalled() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        let output = LogOutput(writing, maxBuffered: 10_000)
        for number in 0..<5_000 { output.write(Self.line(number)) }
        // The pipe is full, so this ends at its time limit.
        output.flush(withinSeconds: 0)
        Thread.detachNewThread {
            output.flush(withinSeconds: 60)
            try? writing.close()
        }
        let lines = try Self.lines(reading)
        let dropped = lines.compactMap { $0.wholeMatch(of: /.* warning .* (\d+) lines were dropped.*/) }
            .compactMap { Int($0.1) }.reduce(0, +)
        #expect(dropped > 3_000)
        #expect(lines.count { $0.hasPrefix("line ") } + dropped == 5_000)
    }

    private static func lines(_ file: FileDescriptor) throws -> [Substring] {
        let handle = FileHandle(fileDescriptor: file.rawValue, closeOnDealloc: true)
        return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
    }
}

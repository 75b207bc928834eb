import Dispatch
import Glibc
import Logging
import Synchronization
package import SystemPackage

/// Writes log lines to a file descriptor on a thread of its own, so that a log whose reader is slow or has stopped
/// delays no request. Lines that do not fit into the buffer are dropped and counted.
package final class LogOutput: Sendable {
    private struct State {
        var lines: [UInt8] = []
        var dropped = 0
        var isWriting = false
    }

    private let file: FileDescriptor
    private let format: LogFormat
    /// In bytes.
    private let maxBuffered: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "log")

    package init(_ file: FileDescriptor, _ format: LogFormat = LogFormat(), maxBuffered: Int = 1 << 20) {
        self.file = file
        self.format = format
        self.maxBuffered = maxBuffered
    }

    func write(
        _ level: Logger.Level,
        _ message: String,
        _ metadata: Logger.Metadata = [:],
        label: String,
        source: String
    ) {
        write(format.line(level, message, metadata, label: label, source: source))
    }

    /// - Parameter line: with its line break.
    package func write(_ line: String) {
        let isIdle = state.withLock { state in
            guard state.lines.count + line.utf8.count <= maxBuffered else {
                state.dropped += 1
                return false
            }
            state.lines += line.utf8
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isIdle { queue.async { self.writeBuffered() } }
    }

    /// Waits until the lines are written, at most for a time in seconds.
    package func flush(withinSeconds seconds: Int) {
        let isFlushed = DispatchSemaphore(value: 0)
        queue.async { isFlushed.signal() }
        _ = isFlushed.wait(timeout: .now() + .seconds(seconds))
    }

    private func writeBuffered() {
        while let lines = takeBuffered() {
            // Nobody can be told that the log cannot be written.
            try? writeAll(lines)
        }
    }

    private func takeBuffered() -> [UInt8]? {
        state.withLock { state in
            var lines = state.lines
            if state.dropped > 0 { lines += report(dropped: state.dropped).utf8 }
            state = State()
            state.isWriting = !lines.isEmpty
            return lines.isEmpty ? nil : lines
        }
    }

    private func report(dropped: Int) -> String {
        format.line(.warning, "\(dropped) lines were dropped: the log is read too slowly")
    }

    private func writeAll(_ lines: [UInt8]) throws {
        var rest = lines[...]
        while !rest.isEmpty {
            do {
                rest = rest.dropFirst(try rest.withUnsafeBytes { try file.write($0) })
            } catch Errno.wouldBlock {
                // Another process may have set the shared pipe to non-blocking.
                var event = pollfd(fd: file.rawValue, events: Int16(POLLOUT), revents: 0)
                poll(&event, 1, -1)
            }
        }
    }
}

import ArgumentParser
import Formats
import Foundation
import Synchronization

/// How commands report their progress on standard error.
enum ProgressFormat: String, CaseIterable, ExpressibleByArgument {
    /// A line that is written again and again if standard error is a terminal, otherwise nothing.
    case auto
    /// A line of text at intervals.
    case plain
    /// A JSON object on a line at intervals.
    case json
    case none
}

/// Reports on standard error what a command does, how far it is, and how long the rest of the step takes. Methods may
/// be called from any thread and as often as convenient: lines are written at fixed intervals, and at the beginning and
/// end of each step, by a thread of the reporter, so that a step of one long SQL statement is seen to go on.
final class ProgressReporter: Sendable {
    private enum Output { case terminal, plain, json }

    private struct State {
        var step: ProgressStep?
        var isWatched = false
    }

    private let output: Output?
    private let state = Mutex(State())

    init(_ format: ProgressFormat) {
        output =
            switch format {
            case .auto: isatty(STDERR_FILENO) == 1 ? .terminal : nil
            case .plain: .plain
            case .json: .json
            case .none: nil
            }
    }

    /// Ends the present step and begins another one.
    ///
    /// - Parameters:
    ///   - name: what the command does, such as `writing listings`.
    ///   - total: how much there is to do, if known.
    ///   - expectedSeconds: how long the step will probably take, if nothing can be counted.
    func begin(_ name: String, total: Int? = nil, expectedSeconds: Double? = nil) {
        guard output != nil else { return }
        state.withLock { state in
            finish(&state)
            let step = ProgressStep(name: name, total: total, expectedSeconds: expectedSeconds)
            state.step = step
            write(step)
            if !state.isWatched { watch() }
            state.isWatched = true
        }
    }

    func update(_ done: Int, of total: Int? = nil) {
        state.withLock { state in
            state.step?.done = done
            if let total { state.step?.total = total }
        }
    }

    /// Tells what is being done in the present step.
    func update(part: String) { state.withLock { $0.step?.part = part } }

    /// Tells what is being done in a step of several parts.
    func update(_ done: Int, of total: Int, part: String) {
        state.withLock { state in
            state.step?.done = done
            state.step?.total = total
            state.step?.part = part
        }
    }

    func update(fraction: Double) { state.withLock { $0.step?.fraction = fraction } }

    /// Ends the present step. The terminal's line is empty afterwards.
    func end() {
        state.withLock { state in
            finish(&state)
            if output == .terminal { writeError("\r\u{1B}[K") }
        }
    }

    private func finish(_ state: inout State) {
        guard var step = state.step else { return }
        state.step = nil
        step.isFinished = true
        if output != .terminal { write(step) }
    }

    /// Writes the present step at intervals until the reporter is released. A thread, because the command may occupy
    /// all threads of Swift's tasks.
    private func watch() {
        let interval = output == .terminal ? 0.2 : output == .json ? 1 : 10
        Thread.detachNewThread { [weak self] in
            while true {
                Thread.sleep(forTimeInterval: interval)
                guard let self else { return }
                writePresentStep()
            }
        }
    }

    private func writePresentStep() {
        state.withLock { state in
            if let step = state.step { write(step) }
        }
    }

    private func write(_ step: ProgressStep) {
        switch output {
        case .terminal: writeError("\r\u{1B}[K\(step.text.prefix(Self.terminalWidth - 1))")
        case .plain: printError(step.text)
        case .json: printError(step.json)
        case nil: break
        }
    }

    /// A longer line would be wrapped, and not be overwritten.
    private static var terminalWidth: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1 ? Int(size.ws_col) : 80
    }
}

/// One step of a command with its progress.
struct ProgressStep {
    let name: String
    var part: String?
    var done: Int?
    var total: Int?
    var expectedSeconds: Double?
    var isFinished = false
    private var givenFraction: Double?
    private let beginning = ContinuousClock.now

    init(name: String, total: Int? = nil, expectedSeconds: Double? = nil) {
        (self.name, self.total, self.expectedSeconds) = (name, total, expectedSeconds)
    }

    /// The part of the work that is done, from 0 to 1; nil if unknown.
    var fraction: Double? {
        get {
            if let givenFraction { return givenFraction }
            guard let done, let total, total > 0 else { return nil }
            return min(1, Double(done) / Double(total))
        }
        set { givenFraction = newValue }
    }

    /// For example `writing listings: 2000 of 10000, 20 %, 4900/s, 2 s left`.
    var text: String {
        let measured = measure()
        var parts: [String] = []
        if let done { parts.append(total.map { "\(done) of \($0)" } ?? "\(done)") }
        if let percent = fraction.map({ Int($0 * 100) }) { parts.append("\(percent) %") }
        if let rate = measured.rate, rate >= 1 { parts.append("\(Int(rate))/s") }
        if isFinished {
            parts.append("done in \(Self.words(measured.seconds))")
        } else if let left = measured.secondsLeft {
            parts.append("\(expectedSeconds == nil ? "" : "about ")\(Self.words(left)) left")
        } else if measured.seconds >= 1 {
            parts.append(Self.words(measured.seconds))
        }
        let title = part.map { "\(name): \($0)" } ?? name
        return parts.isEmpty ? title : "\(title): \(parts.joined(separator: ", "))"
    }

    /// Rates and times have units in their names.
    var json: String {
        let measured = measure()
        var json = JSONWriter()
        json.object { json in
            json.field("step", name)
            json.field("part", part)
            json.field("done", done)
            json.field("total", total)
            json.field("fraction", fraction, decimals: 4)
            json.field("per_second", measured.rate, decimals: 1)
            json.field("seconds", measured.seconds, decimals: 1)
            json.field("seconds_left", measured.secondsLeft, decimals: 1)
            json.field("finished", isFinished)
        }
        return json.text
    }

    private func measure() -> (seconds: Double, rate: Double?, secondsLeft: Double?) {
        let seconds = (ContinuousClock.now - beginning) / .seconds(1)
        // The first fraction of a second tells nothing about the rest.
        let isMeasurable = seconds > 0.5
        let rate = done.flatMap { isMeasurable && $0 > 0 ? Double($0) / seconds : nil }
        // A step that takes longer than expected tells how long it has taken.
        let expected = expectedSeconds.flatMap { $0 > seconds ? $0 - seconds : nil }
        guard !isFinished else { return (seconds, rate, 0) }
        guard let fraction, fraction > 0, isMeasurable else { return (seconds, rate, expected) }
        return (seconds, rate, expectedSeconds == nil ? seconds * (1 - fraction) / fraction : expected)
    }

    /// For example `40 s` or `3 min`.
    static func words(_ seconds: Double) -> String {
        switch seconds {
        case ..<100: "\(Int(seconds.rounded())) s"
        case ..<6000: "\(Int((seconds / 60).rounded())) min"
        default: "\(Int((seconds / 3600).rounded())) h"
        }
    }
}

import Foundation

/// The times of a repeated operation, in microseconds of CPU time of the current thread.
struct Timing {
    private(set) var mean = 0.0
    private(set) var median = 0.0
    private(set) var p99 = 0.0
    private(set) var most = 0.0

    init<Questions: Collection>(
        _ questions: Questions,
        rounds: Int,
        _ body: (Questions.Element) throws -> Void
    ) rethrows {
        for question in questions { try body(question) }
        var times: [Double] = []
        for _ in 0..<rounds {
            for question in questions {
                let start = Self.now
                try body(question)
                times.append(Self.now - start)
            }
        }
        times.sort()
        mean = times.reduce(0, +) / Double(times.count)
        median = times[times.count / 2]
        p99 = times[times.count * 99 / 100]
        most = times[times.count - 1]
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    func report(_ name: String, over floor: Double? = nil) {
        let ratio = floor.map { String(format: "%.2f", mean / $0) } ?? ""
        let numbers = [mean, median, p99, most].map { String(format: "%9.1f", $0) }.joined(separator: " | ")
        show("| \(name.padding(toLength: 52, withPad: " ", startingAt: 0)) | \(numbers) | \(ratio) |")
    }
}

/// Prints a line without buffering, even if the output is a file.
func show(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

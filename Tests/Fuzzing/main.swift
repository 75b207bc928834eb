import Foundation

// Passes almost valid inputs to parsers: `fuzz PARSER|all [--seconds N] [--inputs N] [--seed S]` prints a row for each
// parser.
//
// A parser that crashes ends the process, and the input stays in `/dev/shm/fuzz-PROCESS/crash-PARSER`. Parsers that
// take longer than `patience` or more memory than `room` fail, too.

/// The maximum time for one input, in seconds.
let patience = 10.0
/// The maximum growth of memory by one parser, in MiB.
let room = 400.0

func option(_ name: String) -> Double? {
    let arguments = CommandLine.arguments
    return arguments.firstIndex(of: "--" + name).flatMap {
        arguments.indices.contains($0 + 1) ? Double(arguments[$0 + 1]) : nil
    }
}

/// The peak memory of the process, in MiB.
func peakMemory() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_maxrss) / 1024
}

func run(_ parser: Parser, seconds: Double, inputs: Int, seed: UInt64) async -> Bool {
    var mutator = Mutator(
        parser.seeds,
        words: parser.words,
        longest: parser.name.hasSuffix(".bin") ? .max : 1 << 20,
        seed: seed
    )
    let crash = scratch.appending(path: "crash-" + parser.name.replacing(" ", with: "-"))
    let before = peakMemory()
    let clock = ContinuousClock()
    let begin = clock.now
    var (count, taken, slowest, slowestSize) = (0, 0, 0.0, 0)
    while count < inputs, (clock.now - begin) / .seconds(1) < seconds {
        let input = mutator.next()
        try? Data(input).write(to: crash)
        let start = clock.now
        do {
            try await parser.read(input)
            taken += 1
        } catch {
            precondition(!"\(error)".isEmpty, "an error without words")
        }
        let took = (clock.now - start) / .seconds(1)
        if took > slowest {
            (slowest, slowestSize) = (took, input.count)
            if took > patience { try? Data(input).write(to: crash.appendingPathExtension("slow")) }
        }
        count += 1
    }
    try? FileManager.default.removeItem(at: crash)
    let time = (clock.now - begin) / .seconds(1)
    let isFine = slowest <= patience && peakMemory() - before <= room && !parser.seeds.isEmpty
    let name = parser.name.padding(toLength: 18, withPad: " ", startingAt: 0)
    let figures = String(
        format: "%9d inputs %8.0f/s %5.1f %% taken   slowest %7.1f ms (%d bytes)   peak %5.0f MiB",
        count,
        Double(count) / time,
        100 * Double(taken) / Double(max(1, count)),
        slowest * 1000,
        slowestSize,
        peakMemory()
    )
    // The row is written without a buffer, because the next parser may end the process.
    FileHandle.standardOutput.write(Data(((isFine ? "ok   " : "FAIL ") + name + figures + "\n").utf8))
    return isFine
}

let parsers = mainParsers + outgoingParsers + importParsers + spreadsheetParsers + writtenTextParsers
let wanted = CommandLine.arguments.dropFirst().first ?? "all"
let chosen = parsers.filter { wanted == "all" || $0.name == wanted }
guard !chosen.isEmpty else {
    FileHandle.standardError.write(
        Data(
            "usage: fuzz all|\(parsers.map(\.name).joined(separator: "|")) [--seconds N] [--inputs N] [--seed S]\n".utf8
        )
    )
    exit(64)
}
var isFine = true
for parser in chosen {
    let inputs = option("inputs").map { Int($0) } ?? .max
    let fine = await run(parser, seconds: option("seconds") ?? 10, inputs: inputs, seed: UInt64(option("seed") ?? 1))
    isFine = isFine && fine
}
try? FileManager.default.removeItem(at: scratch)
exit(isFine ? 0 : 1)

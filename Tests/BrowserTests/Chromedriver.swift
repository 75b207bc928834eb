import ServerSupport
import Subprocess
import Testing

/// The program that drives browsers, on a loopback port that it picks.
enum Chromedriver {
    /// The one that runs around the tests.
    @TaskLocal static var current: WebDriver?

    static let absence: Comment = "chromium and chromedriver are not installed"

    static func isInstalled() async -> Bool {
        for name in ["chromium", "chromedriver"] {
            guard (try? await Executable.name(name).resolveExecutablePath(in: .inherit)) != nil else { return false }
        }
        return true
    }

    /// The shell ends chromedriver when its input does: at the end, and when the tests crash; it ends when chromedriver
    /// does. What browsers write lies in a folder that goes with it; its name is short, as those of sockets must be.
    private static let script = """
        TMPDIR=$(mktemp -d) && export TMPDIR
        exec 3<&0
        chromedriver --port=0 3<&- &
        driver=$!
        { read -r _ <&3; kill $driver; } >/dev/null &
        trap 'kill $driver $!; wait; rm -rf "$TMPDIR"' EXIT
        trap exit TERM INT
        wait $driver
        """

    /// Runs it while the body does. It takes a port that is free for IPv4, and ends where IPv6 has it taken: then again.
    static func run(_ body: (WebDriver) async throws -> Void) async throws {
        for _ in 1...3 where try await runOnce(body) { return }
        throw TestFailure("chromedriver did not start")
    }

    /// - Returns: whether it started.
    private static func runOnce(_ body: (WebDriver) async throws -> Void) async throws -> Bool {
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(10))]
        return try await Subprocess.run(
            .name("sh"),
            arguments: ["-c", script],
            platformOptions: options,
            input: .inputWriter,
            output: .sequence,
            error: .discarded
        ) { execution in
            for try await line in execution.standardOutput.strings() {
                guard let port = line.firstMatch(of: #/successfully on port (\d+)/#).flatMap({ Int($0.1) }) else {
                    continue
                }
                try await body(WebDriver(port: port))
                return true
            }
            return false
        }.closureResult
    }
}

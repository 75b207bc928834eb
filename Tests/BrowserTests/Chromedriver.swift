import ServerSupport
import Subprocess
import Testing

/// Starts `chromedriver`, the program that controls browsers, on a loopback port that it picks.
enum Chromedriver {
    /// The instance that runs during the current test.
    @TaskLocal static var current: WebDriver?

    static let absence: Comment = "chromium and chromedriver are not installed"

    static func isInstalled() async -> Bool {
        for name in ["chromium", "chromedriver"] {
            guard (try? await Executable.name(name).resolveExecutablePath(in: .inherit)) != nil else { return false }
        }
        return true
    }

    /// The shell stops chromedriver when its own standard input closes, which happens at the end and also when the
    /// tests crash; it exits when chromedriver exits. Browsers write into a temporary folder, which the shell deletes.
    /// The path of the folder is short, because the paths of Unix sockets are limited to about 100 bytes.
    /// A seventh of the time of browsers is that of a disk's file system, which memory saves if it has 4 GB.
    private static let script = """
        if [ "$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 ] 2>/dev/null; then TMPDIR=/dev/shm; fi
        TMPDIR=$(mktemp -d -p "${TMPDIR:-/tmp}") && export TMPDIR
        exec 3<&0
        chromedriver --port=0 3<&- &
        driver=$!
        { read -r _ <&3; kill $driver; } >/dev/null &
        trap 'kill $driver $!; wait; rm -rf "$TMPDIR"' EXIT
        trap exit TERM INT
        wait $driver
        """

    /// Runs chromedriver while the body runs. Chromedriver picks a port that is free for IPv4 and exits if IPv6 already
    /// uses it; the start is therefore attempted up to three times.
    static func run(_ body: (WebDriver) async throws -> Void) async throws {
        for _ in 1...3 where try await runOnce(body) { return }
        throw TestFailure("chromedriver did not start")
    }

    /// - Returns: whether chromedriver started.
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

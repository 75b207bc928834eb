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

    /// The shell ends chromedriver when its input does: at the end, and when the tests crash. What browsers write lies in
    /// a folder that goes with it; its name is short, as those of sockets must be.
    private static let script = """
        TMPDIR=$(mktemp -d) && export TMPDIR
        chromedriver --port=0 &
        trap 'kill $!; wait; rm -rf "$TMPDIR"' EXIT
        trap exit TERM INT
        read -r _
        """

    /// Runs it while the body does.
    static func run(_ body: (WebDriver) async throws -> Void) async throws {
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(10))]
        _ = try await Subprocess.run(
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
                return try await body(WebDriver(port: port))
            }
            throw Surprise("chromedriver did not start")
        }
    }
}

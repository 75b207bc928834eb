import Foundation
import TestSupport
import Testing

@Suite("Services that follow each other", .enabled(if: Receiver.isAvailable))
struct FeedTests {
    @Test("Two services have the same open listings after 20 changes")
    func twoServices() throws {
        let folder = try TemporaryFolder()
        let log = folder.url.appending(path: "log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = Receiver.python
        process.arguments = [
            "python3", Repository.root.appending(path: "Tests/Performance/feeds.py").path, Program.url.path,
            "--changes",
            "20", "--kills", "0",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(["DOGGOFINDER_CONFIG": "none"]) { $1 }
        let output = try FileHandle(forWritingTo: log)
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        process.waitUntilExit()
        let text = try String(contentsOf: log, encoding: .utf8)
        #expect(process.terminationStatus == 0 && text.contains("Both were the same"), "\(text)")
    }
}

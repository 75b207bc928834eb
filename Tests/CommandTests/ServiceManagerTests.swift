import Foundation
import FoundationNetworking
import TestSupport
import Testing

@Suite("Service manager")
struct ServiceManagerTests {
    @Test("The server tells systemd that it is ready, that it lives, and that it stops", arguments: [false, true])
    func states(isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let name = isAbstract ? "@doggofinder-\(UUID().uuidString)" : folder.url.path + "/notify"
        let socket = try DatagramSocket(name: name)
        let server = try ServerProcess(
            folder,
            environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "400000"],
            logLevel: "error"
        )
        defer { server.kill() }
        var told: [String?] = []
        for _ in 0..<4 { told.append(socket.receive(withinSeconds: 60)) }
        // The first sign of life may come before the socket listens.
        #expect(Set(told) == ["READY=1", "WATCHDOG=1"] && told.count { $0 == "READY=1" } == 1, "\(told)")
        server.process.terminate()
        var last: [String?] = []
        repeat { last.append(socket.receive(withinSeconds: 60)) } while last.last == "WATCHDOG=1"
        #expect(last.last == "STOPPING=1")
        server.process.waitUntilExit()
        #expect(server.process.terminationStatus == 0)
        #expect(socket.receive(withinSeconds: 0) == nil)
    }

    @Test("A watchdog that is meant for another process is ignored")
    func otherProcess() throws {
        let folder = try TemporaryFolder()
        let socket = try DatagramSocket(name: folder.url.path + "/notify")
        let server = try ServerProcess(
            folder,
            environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "10000", "WATCHDOG_PID": "1"],
            logLevel: "error"
        )
        defer { server.kill() }
        #expect(socket.receive(withinSeconds: 60) == "READY=1")
        #expect(socket.receive(withinSeconds: 0.5) == nil)
    }

    @Test("The server serves if the manager does not answer, and refuses an address that it does not understand")
    func noManager() async throws {
        let program = try Program()
        let missing = program.folder.url.path + "/missing"
        let server = try ServerProcess(program.folder, environment: ["NOTIFY_SOCKET": missing], logLevel: "error")
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/healthz"))
        let (_, response) = try await URLSession.shared.data(from: url)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        server.stop()
        let refused = try program.run("serve", "--port", "0", environment: ["NOTIFY_SOCKET": "vsock:2:1"])
        #expect(refused.status != 0 && refused.errors.contains("NOTIFY_SOCKET: expected the path"), "\(refused.errors)")
    }
}

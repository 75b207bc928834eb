import Foundation
import FoundationNetworking
import TestSupport
import Testing

@Suite("Serving")
struct ServeTests {
    @Test("Pages load map tiles only from a server that the operator names, with its attribution")
    func tiles() async throws {
        let template = "https://{s}.tiles.example.org/{z}/{x}/{y}.png"
        for options in [[], ["--tiles", template, "--tiles-attribution", "© Example"]] {
            let server = try ServerProcess(try TemporaryFolder(), options, logLevel: "error")
            defer { server.kill() }
            let base = "http://127.0.0.1:\(server.port)/map"
            let (settings, _) = try await URLSession.shared.data(from: try #require(URL(string: base + "/settings")))
            let (_, page) = try await URLSession.shared.data(from: try #require(URL(string: base)))
            let policy = (page as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Security-Policy")
            let text = String(decoding: settings, as: UTF8.self).replacing("\\/", with: "/")
            #expect(text.contains(template) == !options.isEmpty)
            #expect(policy?.contains("https:") == !options.isEmpty)
            let about = try #require(URL(string: "http://127.0.0.1:\(server.port)/about"))
            let (told, _) = try await URLSession.shared.data(from: about)
            #expect(String(decoding: told, as: UTF8.self).contains(" tiles.example.org,") == !options.isEmpty)
            server.stop()
        }
        let refused = try Program().run("serve", "--port", "0", "--tiles", template)
        #expect(refused.status != 0 && refused.errors.contains("tiles-attribution: expected"))
    }

    @Test("Pages ask for street pictures only with the operator's token for Mapillary")
    func mapillaryToken() async throws {
        let program = try Program()
        let token = try program.write("MLY|1|secret\r\n", "token.txt")
        for options in [[], ["--mapillary-token-file", token]] {
            let server = try ServerProcess(try TemporaryFolder(), options, logLevel: "error")
            defer { server.kill() }
            let map = try #require(URL(string: "http://127.0.0.1:\(server.port)/map"))
            let (page, _) = try await URLSession.shared.data(from: map)
            let text = String(decoding: page, as: UTF8.self)
            #expect(text.contains(" data-street-pictures") == !options.isEmpty)
            #expect(!text.contains("secret"))
            server.stop()
        }
        for text in ["", "\n\n", "two words\n", "tokèn\n"] {
            let file = try program.write(text, "wrong.txt")
            let refused = try program.run(
                "serve",
                "--port",
                "0",
                environment: ["DOGGOFINDER_MAPILLARY_TOKEN_FILE": file]
            )
            let message = "mapillary-token-file: expected a token of Mapillary, without spaces, in \(file)"
            #expect(refused.status != 0 && refused.errors.contains(message), "\(refused.errors)")
        }
    }

    @Test("A log that nobody reads delays neither requests nor the end of the server")
    func unreadLog() async throws {
        let folder = try TemporaryFolder()
        let log = Pipe()
        let server = try ServerProcess(folder, logLevel: "info", log: log)
        defer { server.kill() }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/healthz"))
        // A pipe holds 64 KiB, and each line has more than 100 bytes.
        for _ in 0..<1_000 {
            let (_, response) = try await URLSession.shared.data(from: url)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
        server.stop()
        #expect(server.process.terminationStatus == 0 && server.process.terminationReason == .exit)
        try log.fileHandleForWriting.close()
    }

    @Test("The log is written as JSON on demand, for the journal with priorities, and an unknown format is refused")
    func logFormat() throws {
        let program = try Program()
        let log = program.folder.url.appending(path: "log")
        try Data().write(to: log)
        let file = try FileHandle(forWritingTo: log)
        var status = stat()
        fstat(file.fileDescriptor, &status)
        let journal = ["DOGGOFINDER_LOG_FORMAT": "json", "JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"]
        try ServerProcess(program.folder, environment: journal, logLevel: "notice", log: file).stop()
        let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.count > 2)
        for line in lines {
            #expect(line.hasPrefix("<5>"), "\(line)")
            let event = try JSONSerialization.jsonObject(with: Data(line.dropFirst(3).utf8)) as? [String: Any]
            #expect(event?["level"] as? String == "notice" && event?["message"] is String)
        }
        let refused = try program.run("serve", "--port", "0", "--log-format", "xml")
        #expect(refused.status != 0 && refused.errors.contains("log-format: expected text or json, got 'xml'"))
    }

    @Test("At its start, the server tells what is missing, and how to add it")
    func missingSetup() throws {
        let program = try Program()
        func log(_ options: String...) throws -> String {
            let log = program.folder.url.appending(path: UUID().uuidString)
            try Data().write(to: log)
            try ServerProcess(program.folder, options, logLevel: "notice", log: FileHandle(forWritingTo: log)).stop()
            return try String(contentsOf: log, encoding: .utf8)
        }
        let hints = [
            "accounts add EMAIL --admin", "osm import REGION.osm.pbf", "serve with --mail", "serve with --contact",
        ]
        let first = try log()
        for hint in hints { #expect(first.contains(hint), "\(hint)") }
        #expect(try program.run("accounts", "add", "anna@example.org", "--admin").status == 0)
        let points = """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"amenity":"veterinary","@id":"node/1"},
            "geometry":{"type":"Point","coordinates":[14.8,40.8]}}]}
            """
        #expect(try program.run("pois", "import", program.write(points, "points.geojson")).status == 0)
        let mails = program.folder.url.appending(path: "mails").path
        let imprint = try program.write("Anna Rossi, Salerno", "imprint.txt")
        let second = try log(
            "--mail",
            "file:\(mails)",
            "--mail-from",
            "dogs@example.org",
            "--contact",
            "dogs@example.org",
            "--imprint",
            imprint,
            "--privacy",
            "https://example.org/privacy"
        )
        for hint in hints { #expect(!second.contains(hint), "\(hint)") }
    }

    @Test("What the operator says about the site is checked at the start")
    func siteSettings() throws {
        let program = try Program()
        let latin = try program.write("Perché no", "latin.txt", .isoLatin1)
        let empty = try program.write(" \n", "empty.txt")
        let long = try program.write(String(repeating: "x", count: 100_001), "long.txt")
        for (option, value, message) in [
            ("--site-name", String(repeating: "x", count: 41), "site-name: expected a line of 1 to 40"),
            ("--site-name", "a\nb", "site-name: expected a line"),
            ("--region", " ", "region: expected a line of 1 to 80"),
            ("--contact", "nobody", "contact: expected an e-mail address, or a URL"),
            ("--contact", "javascript://x/%0Aalert(1)", "contact: expected an e-mail address, or a URL"),
            ("--imprint", "missing.txt", "imprint: cannot read missing.txt: no such file"),
            ("--imprint", "ftp://example.org/imprint", "imprint: expected a file, or a URL"),
            ("--privacy", latin, "privacy: expected a text in UTF-8"),
            ("--privacy", empty, "privacy: expected a text in UTF-8"),
            ("--privacy", long, "privacy: expected a text in UTF-8 of at most 100 kB"),
            ("--map-area", "14.3,39.9,15.9", "map-area: expected west,south,east,north"),
            ("--map-area", "14.3,41.1,15.9,39.9", "map-area: expected west,south,east,north"),
        ] {
            let refused = try program.run("serve", "--port", "0", option, value)
            #expect(refused.status != 0 && refused.errors.contains(message), "\(option) \(refused.errors)")
        }
        let refused = try program.run("serve", "--port", "0", environment: ["DOGGOFINDER_MAP_AREA": "Salerno"])
        #expect(refused.status != 0 && refused.errors.contains("map-area: expected"))
    }

    @Test("A request that does not end is cancelled when the server is to end")
    func unfinishedRequest() async throws {
        let server = try ServerProcess(try TemporaryFolder(), logLevel: "error")
        defer { server.kill() }
        let connection = try Connection(port: server.port)
        let part = "--X\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n\r\n"
        try connection.send(
            "POST /photo-search HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n"
                + "Content-Type: multipart/form-data; boundary=X\r\nContent-Length: 9000000\r\n\r\n\(part)"
        )
        let upload = Task {
            while !Task.isCancelled {
                try connection.send(String(repeating: "x", count: 4_000))
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        try await Task.sleep(for: .milliseconds(500))
        server.stop()
        upload.cancel()
        #expect(server.process.terminationStatus == 0 && server.process.terminationReason == .exit)
        // After its usual time, the request would be answered by an error.
        #expect(connection.received().isEmpty)
    }
}

/// A TCP connection to this machine.
private final class Connection: Sendable {
    private let socket: Int32

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit {
        close(socket)
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw POSIXError(.EPIPE)
        }
    }

    /// Reads until the other side closes the connection.
    func received() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let count = recv(socket, &buffer, buffer.count, 0), count > 0 { bytes += buffer[..<count] }
        return bytes
    }
}

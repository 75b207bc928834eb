package import Foundation
package import ObjectStorage
import Synchronization

/// An object store on loopback, `store.py`: moto with a bucket `photos`, behind a proxy that can be told to fail.
package final class ObjectStore: Sendable {
    package static let absence = "moto is not here: `make test` fetches it"

    private static let script = Repository.root.appending(path: "Tests/ObjectStorageTests/Store/store.py")

    /// The packages that the Makefile has installed. Other versions of moto compute signatures in other ways.
    private static let packages = Repository.root.appending(path: ".build/moto").path

    private static let environment = ProcessInfo.processInfo.environment.merging(["PYTHONPATH": packages]) { $1 }

    package static let isAvailable: Bool = {
        guard FileManager.default.fileExists(atPath: packages + "/moto") else { return false }
        let process = python(["-c", "import boto3, flask, flask_cors, moto.server"])
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    private static func python(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.environment = environment
        return process
    }

    private struct Start: Decodable {
        let port: Int
        let id: String
        let secret: String
    }

    /// The authority of the store's certificate; nil without TLS.
    package let authorities: URL?
    private let start: Start
    private let process: Process
    private let input = Pipe()
    private let answers: LineReader
    private let turn = Mutex(())

    /// - Parameter certificate: the name of a certificate of `Receiver`; nil for a store without TLS.
    package init(certificate: String? = nil) throws {
        let output = Pipe()
        authorities = certificate.map { _ in Receiver.folder.appending(path: "authority.pem") }
        process = Self.python(
            [Self.script.path] + (certificate.map { [Receiver.folder.appending(path: "\($0).pem").path] } ?? [])
        )
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        answers = LineReader(output.fileHandleForReading)
        guard let line = answers.next() else { throw POSIXError(.EADDRNOTAVAIL) }
        start = try JSONDecoder().decode(Start.self, from: Data(line.utf8))
    }

    /// The script ends with its input.
    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    package var endpoint: String { "\(authorities == nil ? "http" : "https")://127.0.0.1:\(start.port)" }

    /// The options of the program for the bucket.
    package func options(keysFile: String) -> [String: String] {
        [
            "DOGGOFINDER_PHOTOS": "s3://photos/dogs", "DOGGOFINDER_PHOTOS_ENDPOINT": endpoint,
            "DOGGOFINDER_PHOTOS_KEYS_FILE": keysFile, "DOGGOFINDER_PHOTOS_CA_FILE": authorities?.path,
        ].compactMapValues { $0 }
    }

    /// A client of the bucket with short time limits.
    ///
    /// - Parameters:
    ///   - trusts: whether it trusts the authority of the store's certificate.
    ///   - attemptTime: in milliseconds.
    ///   - budget: the time in which requests are repeated. It is long for failures that pass, because other tests may
    ///     keep the machine busy, and short for those that stay.
    package func bucket(
        _ address: String = "s3://photos/dogs",
        secret: String? = nil,
        trusts: Bool = true,
        attemptTime: Int = 60_000,
        budget: Duration = .seconds(120)
    ) throws -> Bucket {
        var limits = BucketLimits()
        limits.attemptTime = attemptTime
        limits.budget = budget
        limits.failingTime = attemptTime
        var place = try BucketAddress(parsing: address, endpoint: endpoint)
        place.authorities = trusts ? authorities : nil
        return Bucket(
            place,
            try AccessKeys(parsing: keysText(secret: secret ?? start.secret), field: "keys"),
            limits: limits
        )
    }

    /// The text of a file with the keys.
    package var keysText: String { keysText(secret: start.secret) }

    package func keysText(secret: String) -> String {
        "[default]\naws_access_key_id = \(start.id)\naws_secret_access_key = \(secret)\n"
    }

    /// Gives a command of `store.py`, and returns its answer.
    @discardableResult
    package func tell(_ command: String) throws -> Data {
        try turn.withLock { _ in
            try input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
            guard let line = answers.next(), !line.contains(#""error""#) else { throw POSIXError(.EPROTO) }
            return Data(line.utf8)
        }
    }

    /// The names of all objects.
    package func names() throws -> [String] { try JSONDecoder().decode([String].self, from: tell("keys")) }

    /// The numbers since the last call.
    package struct Counts: Decodable {
        package let requests: Int
        /// The requests of the files of photos. A server asks for other things too, at times of its own.
        package let photos: Int
        package let connections: Int
    }

    package func counts() throws -> Counts {
        try JSONDecoder().decode(Counts.self, from: tell("counts"))
    }
}

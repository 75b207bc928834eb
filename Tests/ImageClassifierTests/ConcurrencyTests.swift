import Foundation
import TestSupport
import Testing

@testable import ImageClassifier

@Suite("Concurrent classification")
struct ConcurrencyTests {
    @Test("Two hundred concurrent calls give the same answers as single calls")
    func concurrentCalls() async throws {
        let model = try Food.source().load(limits: .init(concurrency: 4))
        let pictures = try (0..<4).map { try Food.picture([200, $0 * 60, 90], [$0 * 50, 60, 10]) }
        var alone: [Classification] = []
        for picture in pictures { alone.append(try await model.classify(picture)) }
        let together = try await withThrowingTaskGroup(of: (Int, Classification).self) { group in
            for call in 0..<200 {
                group.addTask { (call, try await model.classify(pictures[call % 4])) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(together.count == 200)
        for (call, answer) in together { #expect(answer == alone[call % 4]) }
    }

    /// A pool with one network of the food model.
    private static func pool(keepTime: Duration = .seconds(300)) throws -> NetworkPool {
        let source = try Food.source()
        let manifest = try ModelManifest(json: JSONSerialization.data(withJSONObject: source.manifest))
        let bytes = source.network
        return NetworkPool(concurrency: 1, maxLineLength: 2, keepTime: keepTime) { () throws(ModelError) in
            try Network(onnx: bytes, input: manifest.input, node: nil)
        }
    }

    @Test("A full queue rejects new callers, and a cancelled caller frees its place")
    func fullQueue() async throws {
        let pool = try Self.pool()
        // The first caller keeps the network until the others have ended.
        let others = DispatchSemaphore(value: 0)
        async let first: Void = pool.withNetwork { _ in others.wait() }
        while pool.load.inUse == 0 { await Task.yield() }
        let outcomes = await withTaskGroup(of: ClassificationError?.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    do throws(ClassificationError) {
                        return try await pool.withNetwork { _ in nil }
                    } catch {
                        return error
                    }
                }
            }
            var outcomes: [ClassificationError?] = []
            for await outcome in group {
                outcomes.append(outcome)
                group.cancelAll()
            }
            return outcomes
        }
        others.signal()
        try await first
        #expect(outcomes == [.busy(waiting: 2), .cancelled, .cancelled])
        for _ in 0..<2 { try await pool.withNetwork { _ in } }
    }

    @Test("A network is released when it has not been used for some time, and made again")
    func release() async throws {
        let pool = try Self.pool(keepTime: .milliseconds(100))
        #expect(pool.idleCount == 0)
        for _ in 0..<2 {
            try await pool.withNetwork { _ in }
            try await until("the release") { pool.idleCount == 0 }
        }
        let lasting = try Self.pool()
        try await lasting.withNetwork { _ in }
        try await Task.sleep(for: .milliseconds(200))
        #expect(lasting.idleCount == 1)
    }

    @Test("A cancelled task does not enter the queue")
    func cancelledTask() async throws {
        let model = try Food.source().load()
        let picture = try Food.picture([200, 0, 0], [200, 0, 0])
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await model.classify(picture)
        }
        task.cancel()
        await #expect(throws: ClassificationError.cancelled) { _ = try await task.value }
        #expect(try await model.classify(picture).outcome == .accepted)
    }

    @Test("A model that is unloaded and replaced during classification still serves the callers that hold it")
    func unload() async throws {
        let folder = try TemporaryFolder()
        let files = folder.url.appending(path: "food")
        try Food.source().write(to: files)
        let registry = ModelRegistry(directories: [folder.url])
        let model = try await registry.model("food")
        let picture = try Food.picture([200, 0, 0], [200, 0, 0])
        // The networks are made from the file that was verified, not from the one that has its name now.
        let network = files.appending(path: ModelFolder.networkName)
        try FileManager.default.removeItem(at: network)
        try Data("another".utf8).write(to: network)
        try await withThrowingTaskGroup(of: Classification.self) { group in
            for _ in 0..<200 { group.addTask { try await model.classify(picture) } }
            registry.unload("food")
            #expect(registry.loadedModel("food") == nil)
            for try await answer in group { #expect(answer.outcome == .accepted) }
        }
        await #expect(throws: ModelError.self) { try await registry.model("food") }
        try Food.source().write(to: files)
        #expect(try await registry.model("food") !== model)
    }

    @Test("A network whose file is overwritten after it was verified is refused")
    func overwritten() async throws {
        let folder = try TemporaryFolder()
        try Food.source().write(to: folder.url)
        let model = try ImageModel(folder: folder.url)
        let file = try FileHandle(forWritingTo: folder.url.appending(path: ModelFolder.networkName))
        try file.write(contentsOf: Data("overwritten".utf8))
        let picture = try Food.picture([200, 0, 0], [200, 0, 0])
        do throws(ClassificationError) {
            _ = try await model.classify(picture)
            Issue.record("classified")
        } catch {
            guard case .model(.checksum) = error else { throw error }
        }
    }
}

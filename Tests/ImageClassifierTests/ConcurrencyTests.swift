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

    @Test("A full queue rejects new callers, and a cancelled caller frees its place")
    func fullQueue() async throws {
        let manifest = try ModelManifest(json: JSONSerialization.data(withJSONObject: Food.source().manifest))
        let network = try Network(onnx: Food.source().network, input: manifest.input)
        let pool = NetworkPool([network], maxLineLength: 2)
        // The first caller keeps the network until the others have ended.
        let outcomes = try await pool.withNetwork { _ in
            await withTaskGroup(of: ClassificationError?.self) { group in
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
        }
        #expect(outcomes == [.busy(waiting: 2), .cancelled, .cancelled])
        for _ in 0..<2 { try await pool.withNetwork { _ in } }
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

    @Test("A model that is unloaded during classification still serves the callers that hold it")
    func unload() async throws {
        let folder = try TemporaryFolder()
        try Food.source().write(to: folder.url.appending(path: "food"))
        let registry = ModelRegistry(directories: [folder.url])
        let model = try await registry.model("food")
        let picture = try Food.picture([200, 0, 0], [200, 0, 0])
        try await withThrowingTaskGroup(of: Classification.self) { group in
            for _ in 0..<200 { group.addTask { try await model.classify(picture) } }
            registry.unload("food")
            #expect(registry.loadedModel("food") == nil)
            for try await answer in group { #expect(answer.outcome == .accepted) }
        }
        #expect(try await registry.model("food") !== model)
    }
}

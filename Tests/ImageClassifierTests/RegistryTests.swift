import Foundation
import TestSupport
import Testing

@testable import ImageClassifier

@Suite("Model registry")
struct RegistryTests {
    private let folder: TemporaryFolder
    private let models: URL

    init() throws {
        folder = try TemporaryFolder()
        models = folder.url.appending(path: "models")
    }

    private func source(_ id: String, version: String = "1") throws -> ModelSource {
        var source = try Food.source()
        source.manifest["id"] = id
        source.manifest["version"] = version
        return source
    }

    /// A folder outside the models folders, from which a model is installed.
    private func candidate(_ source: ModelSource) throws -> URL {
        let url = folder.url.appending(path: UUID().uuidString)
        try source.write(to: url)
        return url
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: models.path).sorted()
    }

    @Test("Models of several folders are listed, and invalid ones with their error")
    func list() async throws {
        let bundled = folder.url.appending(path: "bundled")
        try source("food").write(to: bundled.appending(path: "Model"))
        try FileManager.default.createDirectory(
            at: bundled.appending(path: "LabelMaps"),
            withIntermediateDirectories: true
        )
        try source("soup").write(to: models.appending(path: "soup"))
        try source("food", version: "2").write(to: models.appending(path: "food"))
        var broken = try source("broken")
        broken.manifest["threshold"] = "high"
        try broken.write(to: models.appending(path: "broken"))
        let registry = ModelRegistry(directories: [models, bundled])
        let model = try await registry.model("soup")
        #expect(model.manifest.id == "soup")
        let list = registry.list()
        #expect(list.map(\.folder.lastPathComponent) == ["broken", "food", "soup", "Model"])
        #expect(list.map { try? $0.manifest.get().version } == [nil, "2", "1", "1"])
        #expect(list.map(\.isLoaded) == [false, false, true, false])
        #expect(list.map(\.isDefault) == [false, true, false, false])
        #expect(try await registry.model().manifest.version == "2")
        #expect(try await registry.model("soup") === model)
    }

    @Test("The configured model is the default")
    func defaultModel() async throws {
        try source("food").write(to: models.appending(path: "food"))
        try source("soup").write(to: models.appending(path: "soup"))
        let registry = ModelRegistry(directories: [models], defaultModel: "soup")
        #expect(try await registry.model().manifest.id == "soup")
        let astray = ModelRegistry(directories: [models], defaultModel: "salad")
        await #expect(throws: ModelError.unknown(id: "salad")) { try await astray.model() }
    }

    @Test("An unknown model is an error")
    func unknownModel() async throws {
        let registry = ModelRegistry(directories: [models])
        await #expect(throws: ModelError.unknown(id: "food")) { try await registry.model("food") }
        await #expect(throws: ModelError.unknown(id: nil)) { try await registry.model() }
        #expect(registry.list().isEmpty)
    }

    @Test("Concurrent requests load a model once")
    func concurrentLoading() async throws {
        try source("food").write(to: models.appending(path: "food"))
        let registry = ModelRegistry(directories: [models])
        let loaded = try await withThrowingTaskGroup(of: ImageModel.self) { group in
            for _ in 0..<50 { group.addTask { try await registry.model("food") } }
            return try await group.reduce(into: Set()) { $0.insert(ObjectIdentifier($1)) }
        }
        #expect(loaded.count == 1)
    }

    @Test("Verification reports errors and does not load the model")
    func verify() async throws {
        try source("food").write(to: models.appending(path: "food"))
        let registry = ModelRegistry(directories: [models])
        #expect(try await registry.verify("food").id == "food")
        #expect(registry.loadedModel("food") == nil)
        try Data("spoiled".utf8).write(to: models.appending(path: "food/model.onnx"))
        await #expect(throws: ModelError.self) { try await registry.verify() }
    }

    @Test("An installation replaces the older version, and the next request uses the new one")
    func install() async throws {
        let registry = ModelRegistry(directories: [models])
        for version in ["1", "2", "3"] {
            let installed = try await registry.install(from: candidate(source("food", version: version)))
            #expect(installed.version == version)
            #expect(try names() == ["food"])
            #expect(try await registry.model().manifest.version == version)
        }
    }

    @Test("A model that fails verification is not installed")
    func invalidInstallation() async throws {
        let registry = ModelRegistry(directories: [models])
        _ = try await registry.install(from: candidate(source("food")))
        var broken = try source("food", version: "2")
        broken["test_vector", "top"] = [[0, 99.0]]
        let candidate = try candidate(broken)
        await #expect(throws: ModelError.self) { try await registry.install(from: candidate) }
        #expect(try names() == ["food"])
        #expect(registry.list().compactMap { try? $0.manifest.get().version } == ["1"])
    }

    @Test("An installation whose copying fails leaves only the older model")
    func failedCopy() async throws {
        let registry = ModelRegistry(directories: [models])
        _ = try await registry.install(from: candidate(source("food")))
        let newer = try ModelFolder(candidate(source("food", version: "2")))
        let isFull = ModelError.file(path: "model.onnx", reason: "No space left on device")
        var installation = ModelInstallation(directory: models)
        installation.write = { data, url throws(ModelError) in
            guard url.lastPathComponent == "manifest.json", (try? data.write(to: url)) != nil else { throw isFull }
        }
        #expect(throws: isFull) { try installation.install(newer) }
        #expect(try names() == ["food"])
        #expect(try await registry.verify("food").version == "1")
    }

    @Test("The remains of an interrupted installation are not a model, and the next one deletes them")
    func interruptedInstallation() async throws {
        let registry = ModelRegistry(directories: [models])
        try source("food").write(to: models.appending(path: ".installing-food"))
        #expect(registry.list().isEmpty)
        _ = try await registry.install(from: candidate(source("soup")))
        #expect(try names() == ["soup"])
    }
}

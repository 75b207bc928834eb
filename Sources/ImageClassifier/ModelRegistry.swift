public import Foundation
import Synchronization

/// The models in some folders, found by their ids and loaded when first asked for.
///
/// Reading and verifying happens on a thread of its own, one model at a time. A model that is unloaded or replaced goes
/// on serving those who hold it, and is freed when the last of them lets go.
public final class ModelRegistry: Sendable {
    /// A folder with a manifest.
    public struct Entry: Sendable {
        public let folder: URL
        /// What the manifest says, or why it cannot be read.
        public let manifest: Result<ModelManifest, ModelError>
        public let isLoaded: Bool
        public let isDefault: Bool
    }

    private let directories: [URL]
    private let labelMaps: URL?
    private let defaultModel: String?
    private let limits: ImageModel.Limits
    private let loaded = Mutex<[String: ImageModel]>([:])
    private let thread = DispatchQueue(label: "ModelRegistry")

    /// - Parameters:
    ///   - directories: folders of model folders. Installing writes to the first; of models with one id the first counts.
    ///   - labelMaps: the folder of label maps that manifests may name.
    ///   - defaultModel: the id of the model that answers where none is named; nil for the first.
    public init(
        directories: [URL],
        labelMaps: URL? = nil,
        defaultModel: String? = nil,
        limits: ImageModel.Limits = ImageModel.Limits()
    ) {
        self.directories = directories
        self.labelMaps = labelMaps
        self.defaultModel = defaultModel
        self.limits = limits
    }

    /// All models, folder by folder in order of name, those that cannot be read included.
    public func list() -> [Entry] {
        let found = folders().map { folder in
            (folder, Result { () throws(ModelError) in try ModelFolder.manifest(folder) })
        }
        let first = defaultModel ?? found.lazy.compactMap { try? $0.1.get().id }.first
        var seen: Set<String> = []
        return found.map { folder, manifest in
            let id = try? manifest.get().id
            let counts = id.map { seen.insert($0).inserted } ?? false
            return Entry(
                folder: folder,
                manifest: manifest,
                isLoaded: counts && id.flatMap(loadedModel) != nil,
                isDefault: counts && id == first
            )
        }
    }

    /// A model that is loaded already; nil otherwise. Never waits.
    public func loadedModel(_ id: String) -> ImageModel? {
        loaded.withLock { $0[id] }
    }

    /// The model of that id, or the default one, loaded and verified if it was not yet.
    ///
    /// - Throws: `ModelError.unknown`, or what is wrong with it.
    public func model(_ id: String? = nil) async throws(ModelError) -> ImageModel {
        if let id = id ?? defaultModel, let model = loadedModel(id) { return model }
        return try await onThread { () throws(ModelError) in
            let (id, folder) = try self.find(id)
            if let model = self.loadedModel(id) { return model }
            let model = try ImageModel(folder: folder, labelMaps: self.labelMaps, limits: self.limits)
            self.loaded.withLock { $0[id] = model }
            return model
        }
    }

    /// Checks the files of a model as loading does, and keeps nothing.
    ///
    /// - Returns: its manifest.
    public func verify(_ id: String? = nil) async throws(ModelError) -> ModelManifest {
        try await onThread { () throws(ModelError) in try self.verified(self.find(id).folder).manifest }
    }

    /// The next `model(_:)` of that id reads its files anew.
    public func unload(_ id: String) {
        _ = loaded.withLock { $0.removeValue(forKey: id) }
    }

    /// Verifies the model of a folder, copies it into the first directory in place of an older one with its id, and
    /// unloads that. Killed at any moment, it leaves the older model or the newer, whole.
    ///
    /// - Returns: its manifest.
    public func install(from source: URL) async throws(ModelError) -> ModelManifest {
        guard let directory = directories.first else { throw .unknown(id: nil) }
        return try await onThread { () throws(ModelError) in
            let model = try self.verified(source)
            _ = try ModelInstallation(directory: directory).install(model)
            self.unload(model.manifest.id)
            return model.manifest
        }
    }

    private func verified(_ folder: URL) throws(ModelError) -> ModelFolder {
        let model = try ModelFolder(folder)
        _ = try ImageModel(model, labelMaps: labelMaps, limits: .init(concurrency: 1))
        return model
    }

    /// - Parameter id: nil for the default model.
    private func find(_ id: String?) throws(ModelError) -> (id: String, folder: URL) {
        for entry in list() {
            guard let found = try? entry.manifest.get().id else { continue }
            if id == nil ? entry.isDefault : found == id { return (found, entry.folder) }
        }
        throw .unknown(id: id ?? defaultModel)
    }

    private func folders() -> [URL] {
        directories.flatMap { directory in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
            return names.filter { !$0.hasPrefix(".") }.sorted().map { directory.appending(path: $0) }
        }.filter { FileManager.default.fileExists(atPath: $0.appending(path: ModelFolder.manifestName).path) }
    }

    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws(ModelError) -> Value
    ) async throws(ModelError) -> Value {
        try await withCheckedContinuation { caller in
            thread.async { caller.resume(returning: Result(catching: body)) }
        }.get()
    }
}

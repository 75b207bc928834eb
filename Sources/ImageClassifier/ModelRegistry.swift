public import Foundation
import Synchronization

/// Finds the models in some folders by their ids and loads them on first use.
///
/// Models are read and verified on a dedicated thread, one at a time. A model that is unloaded or replaced remains
/// usable while references to it exist.
public final class ModelRegistry: Sendable {
    public struct Entry: Sendable {
        public let folder: URL
        /// The manifest, or the error that occurred when it was read.
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
    ///   - directories: Folders of model folders. Models are installed in the first one. If several models have the
    ///     same id, the first one is used.
    ///   - labelMaps: The folder of the label maps that manifests can name.
    ///   - defaultModel: The id of the default model; nil for the first model.
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

    /// Returns all models, including unreadable ones, in the order of the directories and of the folder names.
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

    /// Returns a model if it is already loaded, otherwise nil. Does not block.
    public func loadedModel(_ id: String) -> ImageModel? {
        loaded.withLock { $0[id] }
    }

    /// Returns the model with the id, or the default model. Loads and verifies it if necessary.
    ///
    /// - Throws: `ModelError.unknown`, or the error that occurred when the model was loaded.
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

    /// Verifies the files of a model in the same way as loading, but does not keep the model.
    ///
    /// - Returns: The manifest of the model.
    public func verify(_ id: String? = nil) async throws(ModelError) -> ModelManifest {
        try await onThread { () throws(ModelError) in try self.verified(self.find(id).folder).manifest }
    }

    /// Verifies the files in a model's folder, also those of a model that another one with the same id replaces.
    ///
    /// - Returns: The manifest of the model.
    public func verify(folder: URL) async throws(ModelError) -> ModelManifest {
        try await onThread { () throws(ModelError) in try self.verified(folder).manifest }
    }

    /// Unloads a model, so that the next call of `model(_:)` reads its files again.
    public func unload(_ id: String) {
        _ = loaded.withLock { $0.removeValue(forKey: id) }
    }

    /// Verifies the model in a folder, copies it into the first directory, replaces an older model with the same id,
    /// and unloads that. If the process is killed, either the older or the newer model is installed completely.
    ///
    /// - Returns: The manifest of the model.
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

    /// - Parameter id: The id, or nil for the default model.
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

import Domain
import Foundation
import ImageClassifier
import Photos
import Server
import Storage

/// A photo in a folder that is named by what it shows.
struct LabelledPhoto {
    let label: String
    let file: URL

    /// Returns the photos in the folders of a folder, in the order of the names.
    static func all(in folder: URL) throws -> [LabelledPhoto] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        guard let names else { throw ServiceError.invalid("folder", "\(folder.path) cannot be read") }
        return names.sorted().flatMap { label -> [LabelledPhoto] in
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: label).path)) ?? []
            return files.sorted().map {
                LabelledPhoto(label: label, file: folder.appending(path: label).appending(path: $0))
            }
        }
    }
}

/// Decodes photos in the same way as the server and classifies them with a model.
struct PhotoClassifier {
    private let processor: PhotoProcessor
    private let model: ImageModel

    init(_ options: DataOptions, model id: String?) async throws {
        processor = try .besideThisProgram()
        model = try await options.models.model(id)
    }

    var labels: [ModelManifest.Label] { model.labels }

    /// The English names of the labels by label id.
    var names: [String: String] {
        Dictionary(labels.map { ($0.id, $0.names["en"] ?? $0.id) }) { first, _ in first }
    }

    /// Whether the model makes vectors of photos.
    var makesVectors: Bool { model.manifest.features?.projection != nil }

    /// Calls `tell` for each file in the given order, while several files are classified concurrently.
    func examine(_ files: [URL], _ tell: (Int, Result<Classification, any Error>) throws -> Void) async throws {
        let atOnce = 2 * ProcessInfo.processInfo.activeProcessorCount
        var waiting: [Task<Classification, any Error>] = []
        var told = 0
        for file in files {
            waiting.append(Task { try await model.classify(image(file)) })
            guard waiting.count == atOnce else { continue }
            try tell(told, await waiting.removeFirst().result)
            told += 1
        }
        for task in waiting {
            try tell(told, await task.result)
            told += 1
        }
    }

    /// Returns what the server records of a photo that is in memory.
    func describe(_ photo: Data) async throws -> RecordedClassification {
        let file = FileManager.default.temporaryDirectory.appending(path: "doggofinder-\(UUID().uuidString).jpg")
        try photo.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let image = try await image(file)
        return RecordedClassification(try await model.classify(image), of: image)
    }

    /// The id and version of the model.
    var name: (id: String, version: String) { (model.manifest.id, model.manifest.version) }

    private func image(_ file: URL) async throws -> PixelImage {
        try await processor.process(inputFile(file.path), pixels: PhotoProcessor.classifiedSide).image()
    }
}

extension ProcessedPhoto {
    /// The pixels as an image for a model.
    func image() throws -> PixelImage {
        guard let pixels else { throw ServiceError.damagedPhoto }
        return try PixelImage(width: pixels.width, height: pixels.height, rgb: pixels.bytes)
    }
}

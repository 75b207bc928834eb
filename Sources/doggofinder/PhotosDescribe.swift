import ArgumentParser
import Domain
import Foundation
import ImageClassifier
import Photos
import Server
import Storage

extension PhotosCommand {
    struct Describe: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Describe the photos of listings by the current model, as far as they are not.",
            discussion: """
                Photos of an earlier version, or of another model, have no vector by which their animals are recognised. A run \
                that was interrupted continues when it is started again. Others can write meanwhile.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Option(help: "The id of the model. (default: dog-breeds)") var model: String?

        /// The photos whose results are written at once.
        private static let batchSize = 50
        /// Smaller photos are decoded faster, and the network takes 252 pixels.
        private static let side = 800

        func run() async throws {
            let examiner = try await PhotoClassifier(dataOptions, model: model)
            let database = try await dataOptions.openDatabase()
            let (store, files) = (ClassificationStore(database), try dataOptions.photoFiles())
            let reports = ReportStore(database)
            let name = examiner.name
            let progress = dataOptions.makeProgress()
            defer { progress.end() }
            let total = try store.countUndescribed(by: name.id, name.version)
            progress.begin("describing photos", total: total)
            var (described, failed, last) = (0, 0, Int64(0))
            while true {
                let photos = try store.findUndescribed(by: name.id, name.version, after: last, limit: Self.batchSize)
                guard let end = photos.last else { break }
                let found = await Self.describe(photos, files, examiner)
                try await store.replace(found)
                try await reports.fileCopies(of: found.map(\.photo.id))
                (described, failed, last) = (described + found.count, failed + photos.count - found.count, end.key)
                progress.update(described + failed)
            }
            progress.end()
            if output.json {
                printJSONObject { [described, failed] json in
                    json.field("described", described)
                    json.field("failed", failed)
                }
            } else {
                print("\(counted(described, "photo")) described, \(failed) not readable")
            }
            if failed > 0 { throw ExitCode(1) }
        }

        /// Leaves out photos that cannot be read.
        private static func describe(
            _ photos: [ClassificationStore.Photo],
            _ files: any PhotoFiles,
            _ examiner: PhotoClassifier
        ) async -> [(photo: ClassificationStore.Photo, classification: RecordedClassification)] {
            await withTaskGroup { group in
                for photo in photos {
                    group.addTask { () -> (ClassificationStore.Photo, RecordedClassification)? in
                        do {
                            let data = try await files.read(PhotoFileName(photo.id, side: side))
                            return (photo, try await examiner.describe(data))
                        } catch {
                            printError("photo \(photo.id.uuidString.lowercased()): \(error)")
                            return nil
                        }
                    }
                }
                return await group.reduce(into: []) { if let found = $1 { $0.append(found) } }
            }
        }
    }
}

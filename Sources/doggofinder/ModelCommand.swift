import ArgumentParser
import Domain
import Formats
import Foundation
import ImageClassifier

struct ModelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Models that tell breeds from photos.",
        subcommands: [List.self, Verify.self, Install.self, Evaluate.self]
    )
}

extension ModelCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Tell which models there are.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            var rows = [["model", "version", "input", "threshold", "name", "folder"]]
            for entry in dataOptions.models.list() {
                if output.json { printJSON { $0.model(entry) } }
                rows.append(Self.row(entry))
            }
            if !output.json { printTable(rows) }
        }

        private static func row(_ entry: ModelRegistry.Entry) -> [String] {
            switch entry.manifest {
            case .success(let model):
                let id = entry.isDefault ? "\(model.id) (default)" : model.id
                let input = "\(model.input.width)x\(model.input.height)"
                return [id, model.version, input, "\(model.threshold)", model.name, entry.folder.path]
            case .failure(let error): return ["-", "-", "-", "-", "\(error)", entry.folder.path]
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check a model's files, labels and answers. Ends with 1 where something is wrong."
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "Its id. (default: all, the bundled one too)") var id: String?

        func run() async throws {
            let models = dataOptions.models
            var entries = models.list()
            // The server uses the first of several models that have the same id.
            if let id { entries = Array(entries.filter { (try? $0.manifest.get().id) == id }.prefix(1)) }
            if entries.isEmpty { throw ModelError.unknown(id: id) }
            var failures = 0
            for entry in entries {
                do {
                    tell(entry.folder, try await models.verify(folder: entry.folder), nil)
                } catch {
                    failures += 1
                    tell(entry.folder, try? entry.manifest.get(), "\(error)")
                }
            }
            if failures > 0 { throw ExitCode(1) }
        }

        private func tell(_ folder: URL, _ manifest: ModelManifest?, _ problem: String?) {
            guard output.json else {
                return print(
                    "\(manifest?.id ?? "-"): \(problem ?? "ok, version \(manifest?.version ?? "")"), \(folder.path)"
                )
            }
            printJSONObject { json in
                json.field("model", manifest?.id)
                json.field("version", problem == nil ? manifest?.version : nil)
                json.field("folder", folder.path)
                json.field("problem", problem)
            }
        }
    }

    struct Install: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check the model in a folder and copy it to the data folder, in place of one with its id.",
            discussion: """
                The folder holds model.onnx and manifest.json. With "labels": {"map": "imagenet-1k"} any classifier of \
                ImageNet's thousand classes will do. A running server takes it up when it starts anew.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "The folder.") var folder: String

        func run() async throws {
            let manifest = try await dataOptions.models.install(from: URL(filePath: folder))
            guard output.json else { return print("\(manifest.id): version \(manifest.version) installed") }
            printJSONObject { json in
                json.field("model", manifest.id)
                json.field("version", manifest.version)
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func model(_ entry: ModelRegistry.Entry) {
        object { json in
            let manifest = try? entry.manifest.get()
            json.field("model", manifest?.id)
            json.field("version", manifest?.version)
            json.field("name", manifest?.name)
            json.field("threshold", manifest?.threshold)
            json.field("default", entry.isDefault)
            json.field("folder", entry.folder.path)
            if case .failure(let error) = entry.manifest { json.field("problem", "\(error)") }
        }
    }
}

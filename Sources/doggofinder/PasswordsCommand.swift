import ArgumentParser
import Credentials
import Domain
import Foundation

extension AccountsCommand {
    struct Passwords: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Install a list of passwords from data breaches, which nobody can choose.",
            subcommands: [Show.self, Import.self],
            defaultSubcommand: Show.self
        )

        struct Show: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Show or remove the installed list.")

            @OptionGroup var dataOptions: DataOptions
            @Flag(help: "Remove the list. The bundled list of common passwords stays.") var remove = false

            func run() async throws {
                let list = BreachedPasswords(folder: try dataOptions.existingDirectory())
                if remove {
                    guard try list.remove() else { throw ServiceError(.notFound, "no list is installed") }
                    return print("removed")
                }
                guard let count = try list.count() else {
                    return print("none: only the \(CommonPasswords.count) most common passwords are refused")
                }
                let attributes = try FileManager.default.attributesOfItem(atPath: list.file.path)
                let date = (attributes[.modificationDate] as? Date).map { Timestamp($0).text } ?? "an unknown time"
                print("\(counted(count, "password")) in \(list.file.path), installed at \(date)")
            }
        }

        struct Import: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Install a list in the place of the present one.",
                discussion: """
                    Each line is an SHA-1 digest in hexadecimal, with or without :COUNT, as in the list of Have I \
                    Been Pwned; with --plain, it is a password. A list in the order of its digests is written as it \
                    is read; others take up to twice the space meanwhile. The list takes 8 bytes a password and \
                    counts at once, for a running server too. An error or an interruption leaves the present list \
                    as it is.
                    """
            )

            @OptionGroup var dataOptions: DataOptions
            @Flag(help: "The lines are passwords in UTF-8. Other lines are skipped.") var plain = false
            @Argument(help: "The file, unpacked; - for standard input.") var file: String

            func run() async throws {
                let list = BreachedPasswords(folder: try dataOptions.existingDirectory())
                let input = file == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: inputFile(file))
                let size = file == "-" ? nil : try input.seekToEnd()
                if size != nil { try input.seek(toOffset: 0) }
                let progress = dataOptions.makeProgress()
                defer { progress.end() }
                let writer = try BreachedPasswordWriter(list, plain ? .plain : .digests)
                do {
                    progress.begin("reading bytes", total: size.map(Int.init))
                    try Self.read(input, into: writer) { progress.update($0) }
                    progress.begin("sorting")
                    let count = try writer.finish { progress.update(fraction: $0) }
                    progress.end()
                    print("\(counted(count, "password")) in \(list.file.path)")
                    let skipped = writer.skippedCount
                    if skipped > 0 { printError("\(counted(skipped, "line")) skipped: not UTF-8") }
                } catch {
                    writer.discard()
                    throw error
                }
            }

            /// The number of bytes that are read at once.
            private static let chunkLength = 1 << 22

            private static func read(
                _ input: FileHandle,
                into writer: BreachedPasswordWriter,
                progress: (_ bytes: Int) -> Void
            ) throws {
                var done = 0
                while let chunk = try input.read(upToCount: chunkLength), !chunk.isEmpty {
                    try writer.add(Array(chunk))
                    done += chunk.count
                    progress(done)
                }
            }
        }
    }
}

import ArgumentParser
import Photos
import Storage

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for damage in the database. Ends with 1 where there is any."
    )

    @OptionGroup var dataOptions: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let database = try dataOptions.openExisting()
        let line = ProgressLine()
        let check = try await database.check { line.show("checking: \($0)") }
        line.show("checking: files of photos")
        let findings = check.findings + [photoFiles(PhotoStore(database))]
        line.end()
        for finding in findings {
            if output.json {
                printJSON { json in
                    json.object { json in
                        json.field("check", finding.what)
                        json.array("problems", finding.problems) { $0.string($1) }
                    }
                }
            } else {
                print("\(finding.what): \(finding.problems.isEmpty ? "ok" : finding.problems.joined(separator: "; "))")
            }
        }
        if !output.json { print(check.counts.map { "\($0.rows) \($0.table)" }.joined(separator: ", ")) }
        guard findings.allSatisfy(\.problems.isEmpty) else { throw ExitCode(1) }
    }

    private func photoFiles(_ photos: PhotoStore) -> DatabaseCheck.Finding {
        do {
            return try filesOfPhotos(photos)
        } catch {
            return DatabaseCheck.Finding(what: "files of photos", problems: ["cannot be looked for: \(error)"])
        }
    }

    private func filesOfPhotos(_ photos: PhotoStore) throws -> DatabaseCheck.Finding {
        let folder = dataOptions.photoFolder
        let files = folder.files()
        let ids = try photos.ids()
        let missing = Set(ids.flatMap(folder.missing))
        let damaged = ids.flatMap(folder.damaged).filter { !missing.contains($0) }
        // The files are listed before the rows are read, so that a photo that is added meanwhile has its row.
        let orphanedFiles = try photos.orphanedFiles(among: files)
        let problems =
            missing.map { "\($0.path) is missing" }.sorted() + damaged.map { "\($0.path) is cut off or overwritten" }
            + orphanedFiles.map { "\($0.path) is of no photo" }
        let some = problems.prefix(10)
        let more = problems.count > some.count ? ["and \(problems.count - some.count) more"] : []
        return DatabaseCheck.Finding(what: "files of photos", problems: some + more)
    }
}

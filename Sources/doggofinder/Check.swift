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
        let progress = dataOptions.makeProgress()
        defer { progress.end() }
        let begin = ContinuousClock.now
        // The checks take very different times, so the last run says more than their number.
        progress.begin("checking the database", expectedSeconds: database.lastCheck?.seconds)
        let check = try await database.check { progress.update($0.finished, of: $0.total, part: $0.name) }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let findings = check.findings + [photoFiles(PhotoStore(database), progress)]
        progress.end()
        let problems = findings.map(\.problems.count).reduce(0, +)
        // A check of a folder that cannot be written to is worth its answers.
        try? database.recordCheck(CheckRecord(time: .now, problems: problems, seconds: seconds))
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

    private func photoFiles(_ photos: PhotoStore, _ progress: ProgressReporter) -> DatabaseCheck.Finding {
        do {
            return try filesOfPhotos(photos, progress)
        } catch {
            return DatabaseCheck.Finding(what: "files of photos", problems: ["cannot be looked for: \(error)"])
        }
    }

    private func filesOfPhotos(_ photos: PhotoStore, _ progress: ProgressReporter) throws -> DatabaseCheck.Finding {
        let folder = dataOptions.photoFolder
        let files = folder.files()
        let ids = try photos.ids()
        let missing = Set(ids.flatMap(folder.missing))
        progress.begin("checking the files of photos", total: ids.count)
        let damaged = ids.enumerated().flatMap { number, id in
            progress.update(number)
            return folder.damaged(id)
        }.filter { !missing.contains($0) }
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

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
        let findings = check.findings + [await photoFiles(PhotoStore(database), progress)]
        progress.end()
        let problems = findings.map(\.problems.count).reduce(0, +)
        // A check of a folder that cannot be written to is worth its answers.
        try? database.recordCheck(CheckRecord(time: .now, problems: problems, seconds: seconds))
        for finding in findings {
            if output.json {
                printJSONObject { json in
                    json.field("check", finding.what)
                    json.array("problems", finding.problems) { $0.string($1) }
                }
            } else {
                print("\(finding.what): \(finding.problems.isEmpty ? "ok" : finding.problems.joined(separator: "; "))")
            }
        }
        if !output.json { print(check.counts.map { "\($0.rows) \($0.table)" }.joined(separator: ", ")) }
        guard findings.allSatisfy(\.problems.isEmpty) else { throw ExitCode(1) }
    }

    private func photoFiles(_ photos: PhotoStore, _ progress: ProgressReporter) async -> DatabaseCheck.Finding {
        do {
            return try await filesOfPhotos(photos, progress)
        } catch {
            return DatabaseCheck.Finding(what: "files of photos", problems: ["cannot be looked for: \(error)"])
        }
    }

    private func filesOfPhotos(
        _ photos: PhotoStore,
        _ progress: ProgressReporter
    ) async throws -> DatabaseCheck.Finding {
        let files = try dataOptions.photoFiles()
        try await files.check()
        let ids = try photos.ids()
        progress.begin("checking the files of photos", total: ids.count)
        let found = try await files.problems(of: ids) { progress.update($0) }
        // A photo that was removed meanwhile has no files.
        let existing = try photos.known(among: Set(found.map(\.photo)))
        var problems = found.filter { existing.contains($0.photo) }.map(\.text)
        try await files.list { page in
            // The files are listed before the rows are read, so that a photo that is added meanwhile has its row.
            let unknown = try photos.unknown(among: Set(page.compactMap(\.name?.photo)))
            for file in page where file.name.map({ unknown.contains($0.photo) }) ?? true {
                problems.append("\(file.location) is of no photo")
            }
        }
        let some = problems.prefix(10)
        let more = problems.count > some.count ? ["and \(problems.count - some.count) more"] : []
        return DatabaseCheck.Finding(what: "files of photos", problems: some + more)
    }
}

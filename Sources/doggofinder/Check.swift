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
        let check = try await database.check()
        let findings = check.findings + [try photoFiles(PhotoStore(database))]
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

    private func photoFiles(_ photos: PhotoStore) throws -> DatabaseCheck.Finding {
        let folder = dataOptions.photoFolder
        let missing = try photos.ids().flatMap(folder.missing)
        let some = missing.prefix(10).map { "\($0.path) is missing" }
        let more = missing.count > some.count ? ["and \(missing.count - some.count) more"] : []
        return DatabaseCheck.Finding(what: "files of photos", problems: some + more)
    }
}

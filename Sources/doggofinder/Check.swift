import ArgumentParser
import Storage

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for damage in the database. Ends with 1 where there is any."
    )

    @OptionGroup var dataOptions: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let check = try await dataOptions.openExisting().check()
        for finding in check.findings {
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
        if !check.isSound { throw ExitCode(1) }
    }
}

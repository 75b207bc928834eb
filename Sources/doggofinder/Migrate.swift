import ArgumentParser

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Bring the database's schema up to date.")

    @OptionGroup var dataOptions: DataOptions

    func run() async throws {
        let done = try DataOptions.migrate(try dataOptions.openUnmigrated())
        print(done.isEmpty ? "up to date" : done.map { "\($0.number) \($0.name)" }.joined(separator: "\n"))
    }
}

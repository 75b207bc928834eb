import ArgumentParser
import Storage

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's schema up to date.",
        discussion: """
            Tells first about how long it will take, and leaves a copy of the former database beside it for 30 days. An \
            interruption by Ctrl-C or SIGTERM changes nothing. Then reads the breeds and telephone numbers of listings that \
            an earlier version of the program has not read; a server does so while it runs, too.
            """
    )

    @OptionGroup var dataOptions: DataOptions

    @Flag(help: "Leave no copy of the former database beside it, where the disk has no room for one.")
    var withoutCopy = false

    func run() async throws {
        let database = try dataOptions.openUnmigrated()
        let done = try dataOptions.migrate(database, keepingCopy: !withoutCopy).map { "\($0.number) \($0.name)" }
        let read = try await dataOptions.readListings(database)
        let results = done + (read > 0 ? ["read the breeds and telephone numbers of \(counted(read, "listing"))"] : [])
        print(results.isEmpty ? "up to date" : results.joined(separator: "\n"))
    }
}

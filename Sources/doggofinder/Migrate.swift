import ArgumentParser

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's schema up to date.",
        discussion: """
            Tells first about how long it will take, and leaves a copy of the former database beside it for 30 days. An \
            interruption by Ctrl-C or SIGTERM changes nothing.
            """
    )

    @OptionGroup var dataOptions: DataOptions

    @Flag(help: "Leave no copy of the former database beside it, where the disk has no room for one.")
    var withoutCopy = false

    func run() async throws {
        let done = try dataOptions.migrate(try dataOptions.openUnmigrated(), keepingCopy: !withoutCopy)
        print(done.isEmpty ? "up to date" : done.map { "\($0.number) \($0.name)" }.joined(separator: "\n"))
    }
}

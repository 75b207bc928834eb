import ArgumentParser

struct MatchesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matches",
        abstract: "Lost and found animals that may be the same.",
        subcommands: [Evaluate.self, Count.self]
    )
}

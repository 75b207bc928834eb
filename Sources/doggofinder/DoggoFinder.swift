import ArgumentParser
import Foundation

@main
struct DoggoFinder: AsyncParsableCommand {
    /// The only place of the version: the package, `/healthz`, `/metrics` and the list of components ask the program.
    static let programVersion = "0.2.0"

    static let configuration = CommandConfiguration(
        commandName: "doggofinder",
        abstract: "Reunites lost dogs with their people.",
        discussion: """
            Options may also come from the environment: --data from DOGGOFINDER_DATA, --port from DOGGOFINDER_PORT, and \
            so on; a configuration file (--config) may set these variables. The command line may be used while the \
            server runs.
            """,
        version: programVersion,
        subcommands: [
            Serve.self, Status.self, Migrate.self, ListingsCommand.self, MatchesCommand.self, AccountsCommand.self,
            OrganisationsCommand.self, SocialCommand.self,
            ModerationCommand.self, OSMCommand.self, PoisCommand.self, GazetteerCommand.self, Classify.self,
            ModelCommand.self,
            PhotosCommand.self,
            Demo.self, Backup.self,
            Restore.self, Copy.self, Check.self, Optimize.self,
        ]
    )

    static func main() async {
        // New files are readable only by the user who runs the program.
        _ = umask(0o077)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(withError: readable(error))
        }
    }
}

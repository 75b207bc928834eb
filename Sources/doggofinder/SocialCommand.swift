import ArgumentParser
import Domain
import Formats
import Foundation
import OutgoingHTTP
import SocialMedia
import Storage

struct SocialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "social",
        abstract: "Post new listings of an area at Telegram and Mastodon, as the site.",
        discussion:
            "Organisations add accounts of their own on their page. The server posts; it need not be restarted.",
        subcommands: [List.self, Add.self, Try.self, Pause.self, Resume.self, Remove.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the accounts of the site, oldest first.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let database = try await dataOptions.openDatabase()
            let found = try SocialAccountStore(database).find(of: .site)
            let posts = try SocialPostStore(database).countShown(at: found)
            guard output.json else {
                for account in found {
                    let state = account.isPaused ? "paused" : "posting"
                    let problem = account.problem.map { "  problem: \($0.rawValue)" } ?? ""
                    let count = counted(posts[account.key] ?? 0, "post")
                    print("\(account.id.uuidString.lowercased())  \(state)  \(account.name)  \(count)\(problem)")
                }
                return
            }
            printJSON { json in
                json.array(found) { json, account in json.social(account, posts: posts[account.key] ?? 0) }
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an account, after asking the service whether it accepts the token.",
            discussion: """
                The first line of --token-file is the token; - reads it from standard input. It is kept encrypted with the key \
                of second factors, and is not shown again.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var services: SocialOptions
        @OptionGroup var keyOptions: SecondFactorKeyOptions
        @Argument(help: "telegram or mastodon.") var service: String
        @Option(help: "Telegram: the channel or group, as @name or by its number.") var chat: String?
        @Option(help: "Mastodon: the address of the server.") var server: String?
        @Option(help: ArgumentHelp("The file with the token; - for standard input.", valueName: "file"))
        var tokenFile: String
        @Option(help: "The longitude of the middle of the area.") var lon: Double
        @Option(help: "The latitude of the middle of the area.") var lat: Double
        @Option(help: "The radius of the area in metres. (default: 25000)") var radius: Int?
        @Option(help: "Only dog, cat or other. (default: all)") var species: String?
        @Option(help: "The language of the posts, it or en. (default: it)") var language: String?

        func run() async throws {
            let clients = try services.clients()
            let address = try address(clients)
            let token = try token()
            try SocialClients.check(token, of: address.service)
            let selection = try selection()
            let store = SocialAccountStore(try await dataOptions.openDatabase())
            try store.checkCount(of: .site)
            let name = try await clients.verify(address, token: token)
            let (id, key) = (UUID(), try keyOptions.key(dataOptions.directory))
            _ = try await store.add(
                address,
                selection,
                id: id,
                name: name,
                token: try key.seal(Data(token.utf8), for: .socialAccount(id)),
                to: .site,
                by: .commandLine,
                at: .now
            )
            print("\(id.uuidString.lowercased())  \(name)")
        }

        private func address(_ clients: SocialClients) throws -> SocialAccount.Address {
            switch try Field("service", .string(service)).choice(SocialAccount.Service.self) {
            case .telegram:
                guard let chat else { throw ValidationError("chat: expected with telegram") }
                return try .telegram(chat: chat)
            case .mastodon:
                guard let server else { throw ValidationError("server: expected with mastodon") }
                return .mastodon(try clients.server(server))
            case nil: throw ValidationError("service: expected telegram or mastodon")
            }
        }

        private func token() throws -> String {
            guard tokenFile == "-" else { return try secret(in: tokenFile, option: "token-file", "a token") }
            guard let line = readLine(), !line.isEmpty else {
                throw ValidationError("token-file: expected a token on standard input")
            }
            return line
        }

        private func selection() throws -> SocialAccount.Selection {
            guard let centre = Coordinate(lon: lon, lat: lat) else {
                throw ValidationError("lon, lat: expected degrees")
            }
            try centre.expectPossible()
            let radius = radius ?? SocialAccount.defaultRadius
            guard SocialAccount.radii.contains(radius) else {
                let (least, most) = (SocialAccount.radii.lowerBound, SocialAccount.radii.upperBound)
                throw ValidationError("radius: expected \(least) to \(most) metres")
            }
            return SocialAccount.Selection(
                centre: centre,
                radius: radius,
                species: try species.flatMap { try Field("species", .string($0)).choice(Species.self) },
                language: try language.flatMap { try Field("language", .string($0)).choice(Language.self) } ?? .italian
            )
        }
    }

    struct Try: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "try",
            abstract: "Ask the service whether it still accepts the token."
        )

        @OptionGroup var target: SocialTarget
        @OptionGroup var services: SocialOptions
        @OptionGroup var keyOptions: SecondFactorKeyOptions

        func run() async throws {
            let (store, id) = try await target.find()
            let account = try store.get(id, of: .site)
            let key = try keyOptions.key(target.dataOptions.directory)
            guard let sealed = try store.token(of: account), let token = key.open(sealed, for: .socialAccount(id))
            else {
                throw ServiceError(.conflict, "the token was encrypted with another key: add the account again")
            }
            let text = String(decoding: token, as: UTF8.self)
            print("works: \(try await services.clients().verify(account.address, token: text))")
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Post nothing at an account until it is resumed; what is new meanwhile is not posted later."
        )

        @OptionGroup var target: SocialTarget

        func run() async throws {
            let (store, id) = try await target.find()
            try await store.setPaused(true, id, of: .site, at: .now)
            print("paused")
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Post at a paused account again.")

        @OptionGroup var target: SocialTarget

        func run() async throws {
            let (store, id) = try await target.find()
            try await store.setPaused(false, id, of: .site, at: .now)
            print("posting")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget an account and its token. What it has posted stays at the service."
        )

        @OptionGroup var target: SocialTarget

        func run() async throws {
            let (store, id) = try await target.find()
            try await store.remove(id, of: .site, by: .commandLine)
            print("removed")
        }
    }
}

struct SocialTarget: ParsableArguments {
    @OptionGroup var dataOptions: DataOptions
    @Argument(help: "The account's id, as `social list` tells it.") var account: String

    func find() async throws -> (store: SocialAccountStore, id: UUID) {
        let id = try Field("account", .string(account)).uuid()
        return (SocialAccountStore(try await dataOptions.openDatabase()), id)
    }
}

/// Where Telegram's Bot API is.
struct TelegramOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A Telegram Bot API server of one's own. (default: \(SocialClients.telegramServer))",
            valueName: "address"
        )
    )
    var telegramServer: String?

    /// - Parameter outgoing: what is permitted for requests to servers that users name.
    func origin(_ outgoing: OutgoingSettings) throws -> String {
        guard let text = telegramServer ?? Environment.text("telegram-server") else {
            return SocialClients.telegramServer
        }
        let url = try OutgoingURL(text, field: "telegram-server", settings: outgoing)
        guard url.path == "/" else {
            throw ServiceError.invalid("telegram-server", "expected an address without a path")
        }
        return url.origin
    }
}

struct SocialOptions: ParsableArguments {
    @OptionGroup var telegramOption: TelegramOption
    @OptionGroup var outgoingOptions: OutgoingOptions

    func clients() throws -> SocialClients {
        let outgoing = try outgoingOptions.settings()
        return SocialClients(outgoing, telegram: try telegramOption.origin(outgoing))
    }
}

import Domain
import Foundation
import Storage
import TestSupport
import Testing

@Suite("Social commands", .enabled(if: Receiver.isAvailable))
struct SocialCommandTests {
    @Test("Accounts of the site are verified, added, listed, tried, paused and removed; the token is never printed")
    func accounts() async throws {
        let (program, services) = (try Program(), try SocialServices())
        let database = try DatabaseFile(directory: program.folder.url)
        _ = try database.migrate()
        let environment = [
            "DOGGOFINDER_OUTGOING_PORTS": services.origin.split(separator: ":").last.map(String.init) ?? "",
            "DOGGOFINDER_OUTGOING_NETWORKS": "127.0.0.1/32",
            "DOGGOFINDER_OUTGOING_CA_FILE": Receiver.folder.appending(path: "authority.pem").path,
            "DOGGOFINDER_TELEGRAM_SERVER": services.origin,
        ]
        func run(_ arguments: String..., input: String = "") throws -> Program.Outcome {
            let outcome = try program.run(
                ["social"] + arguments, data: program.folder.url, input: input, environment: environment)
            for text in [outcome.output, outcome.errors] {
                #expect(!text.contains(SocialServices.telegramToken) && !text.contains(SocialServices.mastodonToken))
            }
            return outcome
        }
        let file = try program.write(SocialServices.telegramToken + "\n", "token")
        let area = ["--lon", "14.79", "--lat", "40.77"]
        let bot = try run(
            "add", "telegram", "--chat", "@dogs", "--token-file", file, area[0], area[1], area[2], area[3], "--radius",
            "10000", "--species", "cat")
        #expect(bot.status == 0 && bot.output.hasSuffix("  @dogs_bot → Lost dogs\n"), "\(bot.errors)")
        let application = try run(
            "add", "mastodon", "--server", services.origin, "--token-file", "-", area[0], area[1], area[2], area[3],
            input: SocialServices.mastodonToken + "\n")
        #expect(application.status == 0, "\(application.errors)")
        let refused = try run(
            "add", "mastodon", "--server", services.origin, "--token-file", "-", area[0], area[1], area[2], area[3],
            input: "another-token-of-somebody\n")
        #expect(refused.status != 0 && refused.errors.contains("token"))
        let wrong = try run(
            "add", "telegram", "--chat", "dogs", "--token-file", file, area[0], area[1], area[2], area[3])
        #expect(wrong.status != 0 && wrong.errors.contains("chat"))

        let id = try #require(bot.output.split(separator: " ").first.map(String.init))
        #expect(try run("list").output.contains("\(id)  posting  @dogs_bot"))
        #expect(try run("try", id).output.hasPrefix("works: @dogs_bot"))
        #expect(try run("pause", id).output == "paused\n")
        let list = try JSONDecoder().decode(JSONValue.self, from: Data(try run("list", "--json").output.utf8))
        guard case .array(let accounts) = list, case .object(let first)? = accounts.first else {
            throw ServiceError.invalid("list", ErrorMessage(verbatim: "\(list)"))
        }
        #expect(accounts.count == 2 && first["paused"] == .bool(true) && first["species"] == "cat")
        #expect(try run("resume", id).output == "posting\n")
        #expect(try run("remove", id).output == "removed\n")
        #expect(try run("remove", id).status != 0)
        let entries = try AuditLog(database).entries(.init())
        #expect(entries.map(\.action) == ["social.remove", "social.add", "social.add"])
    }
}

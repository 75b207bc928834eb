import Credentials
import Domain
import Foundation
import Logging
import SQL
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import SocialMedia

/// A board whose listings are posted at the imitated services.
struct SocialScene: Sendable {
    let board: TestDatabase
    let accounts: SocialAccountStore
    let store: SocialPostStore
    let services: SocialServices
    let clients: SocialClients
    let poster: Account
    let key = SecondFactorKey()
    /// Triggers note listings at the time of the machine.
    let clock = ManualClock(.now)

    init() async throws {
        board = try await TestDatabase(leads: true)
        services = try SocialServices()
        (accounts, store) = (SocialAccountStore(board.database), SocialPostStore(board.database))
        clients = SocialClients(services.settings, telegram: services.origin, now: clock.reading)
        poster = try await board.guest()
    }

    static let photo = SocialContent.Photo(jpeg: [0xFF, 0xD8, 1, 2, 3], description: "Photo of Argo")

    @discardableResult
    func add(
        _ service: SocialAccount.Service,
        token: String? = nil,
        chat: String = "@dogs",
        radius: Int = 25_000,
        species: Species? = nil
    ) async throws -> SocialAccount {
        let (id, isBot) = (UUID(), service == .telegram)
        let token = token ?? (isBot ? SocialServices.telegramToken : SocialServices.mastodonToken)
        let centre = try #require(Coordinate(lon: 14.79, lat: 40.77))
        return try await accounts.add(
            isBot ? .telegram(chat: chat) : .mastodon(services.origin),
            .init(centre: centre, radius: radius, species: species, language: .italian),
            id: id,
            name: service.rawValue,
            token: try key.seal(Data(token.utf8), for: .socialAccount(id)),
            to: .site,
            by: .service,
            at: clock.now
        )
    }

    func post(
        _ lon: Double = 14.79,
        _ lat: Double = 40.77,
        name: String = "Argo",
        photo: Bool = false
    ) async throws -> Listing {
        let listing = try await board.listings.create(.at(lon, lat) { $0[.name] = name }, owner: poster)
        return photo ? try await addPhoto(listing) : listing
    }

    func addPhoto(_ listing: Listing, number: Int64 = 1) async throws -> Listing {
        try await board.database.write { db in
            try db.execute(
                "INSERT INTO photo (uuid, listing_id, number, width, height) VALUES (?, ?, ?, 60, 40)",
                [UUID(), listing.key, number]
            )
        }
        return try #require(try await board.listings.findListing(id: listing.id))
    }

    @discardableResult
    func change(_ listing: Listing, _ change: (inout ListingContent) -> Void) async throws -> Listing {
        let current = try #require(try await board.listings.findListing(id: listing.id))
        var content = current.content
        change(&content)
        return try await board.listings.update(current, content: content, location: current.location, version: nil)
    }

    func sender() -> SocialSender {
        let source = SocialSource { listing, language in
            SocialContent(
                headline: "\(listing.content.status?.rawValue ?? ""): \(listing.content.name ?? "")",
                description: listing.content[.description] ?? "",
                link: "https://dogs.example/\(listing.code.text)",
                language: language
            )
        } withdrawn: { _ in
            "withdrawn"
        } photo: { listing, _ in
            listing.photos.isEmpty ? nil : Self.photo
        }
        return SocialSender(
            store,
            clients,
            key: key,
            source: source,
            logger: Logger(label: "social") { _ in SwiftLogNoOpLogHandler() },
            now: clock.reading
        )
    }

    /// Runs a sender until the condition holds. Time goes by quickly, so that nobody waits for the pace.
    func run(_ sender: SocialSender? = nil, until condition: () throws -> Bool) async throws {
        let sender = sender ?? self.sender()
        let run = Task { try await sender.run() }
        defer { run.cancel() }
        try await TestSupport.until("the sender") {
            clock.advance(hours: 5 / 3_600.0)
            sender.wake()
            return try condition()
        }
        run.cancel()
        try await run.value
    }

    /// Runs a sender until nothing waits.
    func settle() async throws {
        clock.advance(hours: 120 / 3_600.0)
        try await run { try store.countWaiting() == 0 }
    }

    func account(_ id: UUID) throws -> SocialAccount { try accounts.get(id, of: .site) }

    func rows() async throws -> [(remote: String?, pending: Int64)] {
        try await board.database.read { db in
            try db.rows("SELECT remote_id, pending FROM social_post ORDER BY id") { row in
                (remote: try row["remote_id"], pending: try row["pending"])
            }
        }
    }
}

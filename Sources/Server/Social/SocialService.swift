import Credentials
import Domain
import Foundation
import HTTP
import SocialMedia
import Storage

/// Adds and tries the accounts at other services where listings are posted.
struct SocialService: Sendable {
    let accounts: SocialAccountStore
    let posts: SocialPostStore
    let clients: SocialClients
    let sender: SocialSender
    let key: SecondFactorKey
    let places: SitePlaces
    /// Each attempt asks a server that a member named.
    let tests: WebhookLimits
    let now: @Sendable () -> Timestamp

    static let names = ["service", "server", "chat", "token", "place", "lon", "lat", "radius", "species", "language"]

    /// Verifies an account at its service, and stores it.
    ///
    /// - Parameter fields: of a request, from a program or from a form.
    func add(
        _ fields: [String: JSONValue],
        language: Language,
        to owner: SocialAccountStore.Owner,
        by account: Account
    ) async throws -> SocialAccount {
        try fields.expect(Self.names)
        let address = try address(fields)
        let token = try Self.text("token", fields)
        try SocialClients.check(token, of: address.service)
        let selection = try selection(fields, language)
        try accounts.checkCount(of: owner)
        try await tests.take(by: account)
        let name = try await clients.verify(address, token: token)
        let id = UUID()
        return try await accounts.add(
            address,
            selection,
            id: id,
            name: name,
            token: try key.seal(Data(token.utf8), for: .socialAccount(id)),
            to: owner,
            by: .account(account.id),
            at: now()
        )
    }

    /// Asks the service whether the stored token and the chat can be used. Throws an error that names what cannot.
    func test(_ id: UUID, of owner: SocialAccountStore.Owner, by account: Account) async throws {
        let found = try accounts.get(id, of: owner)
        try await tests.take(by: account)
        guard let sealed = try accounts.token(of: found), let token = key.open(sealed, for: .socialAccount(id)) else {
            throw ServiceError.invalid("token", "the token was encrypted with another key: add the account again")
        }
        _ = try await clients.verify(found.address, token: String(decoding: token, as: UTF8.self))
    }

    func setPaused(_ isPaused: Bool, _ id: UUID, of owner: SocialAccountStore.Owner) async throws {
        try await accounts.setPaused(isPaused, id, of: owner, at: now())
        if !isPaused { sender.wake() }
    }

    // MARK: - Fields

    private static func text(_ name: String, _ fields: [String: JSONValue]) throws(ServiceError) -> String {
        guard case .string(let text)? = fields[name] else { throw .invalid(name, "expected a text") }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func address(_ fields: [String: JSONValue]) throws -> SocialAccount.Address {
        let service = try Field("service", fields["service"] ?? .null).choice(SocialAccount.Service.self)
        switch service {
        case .telegram: return try .telegram(chat: try Self.text("chat", fields))
        case .mastodon: return .mastodon(try clients.server(try Self.text("server", fields)))
        case nil: throw ServiceError.invalid("service", "expected telegram or mastodon")
        }
    }

    private func selection(_ fields: [String: JSONValue], _ language: Language) throws -> SocialAccount.Selection {
        let radius = fields["radius"] ?? .number(Double(SocialAccount.defaultRadius))
        guard case .number(let number) = radius, let metres = Int(exactly: number),
            SocialAccount.radii.contains(metres)
        else {
            let (least, most) = (SocialAccount.radii.lowerBound, SocialAccount.radii.upperBound)
            throw ServiceError.invalid("radius", "expected a whole number of metres from \(least) to \(most)")
        }
        return SocialAccount.Selection(
            centre: try centre(fields, language),
            radius: metres,
            species: try Field("species", fields["species"] ?? .null).choice(Species.self),
            language: try Field("language", fields["language"] ?? .null).choice(Language.self) ?? language
        )
    }

    private func centre(_ fields: [String: JSONValue], _ language: Language) throws -> Coordinate {
        if fields["place"] == nil {
            guard case .number(let lon)? = fields["lon"], case .number(let lat)? = fields["lat"],
                let point = Coordinate(lon: lon, lat: lat)
            else { throw ServiceError.invalid("place", "expected the name of a town, or lon and lat in degrees") }
            try point.expectPossible()
            return point
        }
        switch try places.address(try Self.text("place", fields), language: language).match {
        case .town(let town): return town.coordinate
        case .unclear(let candidates): throw ServiceError.unclearTown(candidates)
        }
    }
}

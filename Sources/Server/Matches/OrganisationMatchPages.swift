import Domain
import Foundation
import HTTP
import Hummingbird
import Pages
import Storage

/// The page on which members of an organisation go through the likeliest owners of all its animals. Its buttons send the same
/// answers as the pages of one match, which lead back here.
struct OrganisationMatchPages {
    let site: Site

    private static let pageSize = 20

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/account/organisations/:id/matches", use: show)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let owner = try site.stores.organisations.getAccount(
            id: try context.parameters.uuid(orElse: "no such organisation"), for: account)
        guard let organisation = try site.stores.organisations.find(account: owner) else {
            throw ServiceError(.notFound, "no such organisation")
        }
        let query = request.queryReader()
        let found = try site.stores.matches.findMatches(
            of: owner,
            limit: Self.pageSize,
            after: try query.organisationMatchCursor(),
            Listing.init
        )
        let cursor = request.parameters["cursor"]
        let path = Self.path(organisation.id)
        let left = try removed(request.parameters, account)
        return site.page.show(request, account, isPrivate: true) {
            $0.organisationMatches(
                found.matches,
                of: organisation,
                removed: left,
                cursor: cursor,
                next: found.next.map { path + BoardFilters.query(["cursor": $0.token]) }
            )
        }
    }

    /// Returns the pair that the reader has just answered with no.
    private func removed(
        _ parameters: [String: String],
        _ account: Account
    ) throws -> (animal: Listing, lost: Listing)? {
        let ids = ["animal", "lost"].compactMap { parameters[$0].flatMap(UUID.init(uuidString:)) }
        guard ids.count == 2, let animal = try site.stores.listings.findListing(id: ids[0], Listing.init),
            let lost = try site.stores.listings.findListing(id: ids[1], Listing.init), account.acts(for: animal.owner),
            !lost.hidden,
            try site.stores.matches.findAnswers(of: animal, other: lost).own == .no
        else { return nil }
        return (animal, lost)
    }

    private static func path(_ organisation: UUID) -> String {
        "/account/organisations/\(organisation.lowercased)/matches"
    }

    /// Returns the address of the list from which an answer was sent; nil if it was sent from elsewhere.
    static func path(
        back form: FormReader.SubmittedForm,
        _ answer: MatchAnswer?,
        _ animal: Listing,
        _ lost: Listing
    ) -> String? {
        guard let organisation = form["organisation"].flatMap(UUID.init(uuidString:)) else { return nil }
        var values = ["cursor": form["cursor"] ?? ""].filter { !$0.value.isEmpty }
        if answer == .no {
            values.merge(["animal": animal.id.lowercased, "lost": lost.id.lowercased]) { $1 }
        } else {
            values["done"] = "match.saved"
        }
        return path(organisation) + BoardFilters.query(values)
    }
}

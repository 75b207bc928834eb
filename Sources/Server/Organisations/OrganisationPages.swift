import Domain
import Foundation
import HTTP
import Hummingbird
import Pages
import Storage

/// The public page of an organisation, and the page on which its members see and answer invitations.
struct OrganisationPages {
    let site: Site

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/organisations/:id", use: show)
        router.get("/organisations/:id/embed", use: embed)
        router.get("/account/organisations", use: own)
        router.post("/account/organisations", use: create)
        router.post("/account/invitations", use: answer)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard
            let organisation = try site.stores.organisations.find(
                id: try context.parameters.uuid(orElse: "no such organisation"))
        else {
            throw ServiceError(.notFound, "no such organisation")
        }
        let path = "/organisations/\(organisation.id.lowercased)"
        var query = ListingQuery()
        query.owner = organisation.key
        query.cursor = try request.queryReader().cursor(fields: 4) { fields in
            ListingQuery.Cursor(fields, order: .newest, ranks: 0)
        }
        var cards: [ListingCard] = []
        let next = try site.stores.search.find(query) { row, _ in cards.append(.init(try Listing(row))) }
        return site.page.show(request, context.caller?.account) {
            $0.organisation(
                organisation,
                in: site.countries.country(at: organisation.content.point),
                cards: cards,
                next: next.map { path + BoardFilters.query(["cursor": $0.token]) }
            )
        }
    }

    /// The open listings without the frame of the site, which only pages of the organisation's web site can show.
    @Sendable private func embed(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard
            let organisation = try site.stores.organisations.find(
                id: try context.parameters.uuid(orElse: "no such organisation"))
        else {
            throw ServiceError(.notFound, "no such organisation")
        }
        var query = ListingQuery()
        (query.owner, query.limit) = (organisation.key, Self.maxEmbedded)
        var cards: [ListingCard] = []
        _ = try site.stores.search.find(query) { row, _ in cards.append(.init(try Listing(row))) }
        // The viewer's account is not used, because no private data may appear inside another site.
        var response = site.page.show(request, nil, frames: .by(organisation.content.site)) {
            $0.embeddedOrganisation(organisation, cards: cards)
        }
        response.headers[.cacheControl] = "public, max-age=\(Self.embeddedSeconds)"
        response.headers[.vary] = "Accept-Language"
        response.headers[.setCookie] = nil
        return response
    }

    private static let maxEmbedded = 60
    /// How long caches keep the list.
    private static let embeddedSeconds = 300

    @Sendable private func own(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        return try page(request, account)
    }

    @Sendable private func create(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        var typed: [String: String] = [:]
        return try await site.page.handleForm {
            typed = try await site.page.forms.read(request).typed
            var content = Organisation.Content()
            let fields = typed.filter { OwnOrganisationsView.fields.contains($0.key) }
            try content.apply(fields.mapValues { .string($0.replacing("\r\n", with: "\n")) }, site.countries)
            let made = try await site.stores.organisations.create(content, by: account)
            return site.page.redirect("/organisations/\(made.id.lowercased)", done: "account.saved")
        } orShow: { error, status in
            try page(request, account, typed: typed, problem: error, status: status)
        }
    }

    @Sendable private func answer(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let form = try await site.page.forms.read(request)
        guard let id = form["id"].flatMap(UUID.init(uuidString:)) else {
            throw ServiceError(.notFound, "no such invitation")
        }
        if form["answer"] == "accept" {
            _ = try await site.stores.organisations.accept(id, by: account, at: site.now())
        } else {
            try await site.stores.organisations.decline(id, by: account, at: site.now())
        }
        return site.page.redirect("/account/organisations", done: "account.saved")
    }

    private func page(
        _ request: Request,
        _ account: Account,
        typed: [String: String] = [:],
        problem: ServiceError? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        try site.page.show(request, account, status: status, isPrivate: true) {
            $0.ownOrganisations(
                memberships: try site.stores.organisations.findMemberships(of: account),
                invitations: try site.stores.organisations.findInvitations(of: account, at: site.now()),
                canCreate: account.email != nil,
                typed: typed,
                problem: problem
            )
        }
    }
}

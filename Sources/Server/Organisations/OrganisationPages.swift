import Domain
import Foundation
import HTTP
import Hummingbird
import Pages
import Storage

/// The public page of an organisation, and the page on which its members see and answer invitations.
struct OrganisationPages {
    let renderer: PageRenderer
    let organisations: OrganisationStore
    let countries: Countries
    let search: ListingSearch
    let now: @Sendable () -> Timestamp

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/organisations/:id", use: show)
        router.get("/organisations/:id/embed", use: embed)
        router.get("/account/organisations", use: own)
        router.post("/account/organisations", use: create)
        router.post("/account/invitations", use: answer)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard let organisation = try organisations.find(id: try context.parameters.uuid(orElse: "no such organisation"))
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
        let next = try search.find(query) { row, _ in cards.append(.init(try Listing(row))) }
        return renderer.show(request, context.caller?.account) {
            $0.organisation(
                organisation,
                in: countries.country(at: organisation.content.point),
                cards: cards,
                next: next.map { path + BoardFilters.query(["cursor": $0.token]) }
            )
        }
    }

    /// The open listings without the frame of the site, which only pages of the organisation's web site can show.
    @Sendable private func embed(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard let organisation = try organisations.find(id: try context.parameters.uuid(orElse: "no such organisation"))
        else {
            throw ServiceError(.notFound, "no such organisation")
        }
        var query = ListingQuery()
        (query.owner, query.limit) = (organisation.key, Self.maxEmbedded)
        var cards: [ListingCard] = []
        _ = try search.find(query) { row, _ in cards.append(.init(try Listing(row))) }
        // The viewer's account is not used, because no private data may appear inside another site.
        var response = renderer.show(request, nil, frames: .by(organisation.content.site)) {
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
        return try await renderer.handleForm {
            typed = try await renderer.forms.read(request).typed
            var content = Organisation.Content()
            let fields = typed.filter { OwnOrganisationsView.fields.contains($0.key) }
            try content.apply(fields.mapValues { .string($0.replacing("\r\n", with: "\n")) }, countries)
            let made = try await organisations.create(content, by: account)
            return renderer.redirect("/organisations/\(made.id.lowercased)", done: "account.saved")
        } orShow: { error, status in
            try page(request, account, typed: typed, problem: error, status: status)
        }
    }

    @Sendable private func answer(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let form = try await renderer.forms.read(request)
        guard let id = form["id"].flatMap(UUID.init(uuidString:)) else {
            throw ServiceError(.notFound, "no such invitation")
        }
        if form["answer"] == "accept" {
            _ = try await organisations.accept(id, by: account, at: now())
        } else {
            try await organisations.decline(id, by: account, at: now())
        }
        return renderer.redirect("/account/organisations", done: "account.saved")
    }

    private func page(
        _ request: Request,
        _ account: Account,
        typed: [String: String] = [:],
        problem: ServiceError? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        try renderer.show(request, account, status: status, isPrivate: true) {
            $0.ownOrganisations(
                memberships: try organisations.findMemberships(of: account),
                invitations: try organisations.findInvitations(of: account, at: now()),
                canCreate: account.email != nil,
                typed: typed,
                problem: problem
            )
        }
    }
}

import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The pages with the accounts at other services: those of an organisation for its managers, and those of the site for admins.
struct SocialPages {
    let site: Site
    let service: SocialService

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/account/organisations/:id/social", use: show)
        router.post("/account/organisations/:id/social", use: change)
        router.get("/moderation/social", use: show)
        router.post("/moderation/social", use: change)
    }

    /// Whose accounts a page shows, and who looks at it.
    private struct Visit {
        let account: Account
        let owner: SocialAccountStore.Owner
        /// Nil for the site.
        let organisation: Organisation?
    }

    private func visit(_ context: ServiceContext) throws -> Visit {
        guard context.parameters.get("id") != nil else {
            return Visit(account: try AdminContext(context: context).account, owner: .site, organisation: nil)
        }
        let account = try SignedInContext(context: context).account
        let id = try context.parameters.uuid(orElse: "no such organisation")
        guard let organisation = try site.stores.organisations.find(id: id) else {
            throw ServiceError(.notFound, "no such organisation")
        }
        return Visit(account: account, owner: .organisation(id, by: account), organisation: organisation)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try page(request, try visit(context))
    }

    private func page(
        _ request: Request,
        _ visit: Visit,
        typed: [String: String] = [:],
        problem: ServiceError? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let found = try service.accounts.find(of: visit.owner)
        let counts = try service.posts.countShown(at: found)
        let language = site.page.pageLanguage(request)
        let entries = try found.map { account in
            let town = try service.places.place(at: account.selection.centre, language: language)?.fullName
            return (account: account, town: town, posts: counts[account.key] ?? 0)
        }
        return site.page.show(request, visit.account, status: status, isPrivate: true) {
            $0.social(entries, of: visit.organisation, typed: typed, problem: problem)
        }
    }

    @Sendable private func change(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let visit = try visit(context)
        // The form tells nothing to accounts that may not manage.
        _ = try service.accounts.find(of: visit.owner)
        let sent = try await site.page.forms.read(request)
        return try await site.page.handleForm {
            try await perform(sent, visit, site.page.pageLanguage(request))
            let done = sent["action"] == "try" ? "social.works" : "account.saved"
            return site.page.redirect(Self.path(visit.organisation), done: done)
        } orShow: { error, status in
            // A token is not shown again.
            try page(request, visit, typed: sent.typed.filter { $0.key != "token" }, problem: error, status: status)
        }
    }

    private static func path(_ organisation: Organisation?) -> String {
        organisation.map { "/account/organisations/\($0.id.lowercased)/social" } ?? "/moderation/social"
    }

    private func perform(_ sent: FormReader.SubmittedForm, _ visit: Visit, _ language: Language) async throws {
        func chosen() throws -> UUID { try Field("account", .string(sent["account"] ?? "")).uuid() }
        switch sent["action"] {
        case "add":
            var fields = sent.typed.filter { SocialService.names.contains($0.key) && !$0.value.isEmpty }
                .mapValues(JSONValue.string)
            fields["radius"] = sent["radius"].flatMap(Double.init).map { .number($0 * 1000) }
            if fields["place"] == nil { throw ServiceError.invalid("place", "expected the name of a town") }
            _ = try await service.add(fields, language: language, to: visit.owner, by: visit.account)
        case "try": try await service.test(try chosen(), of: visit.owner, by: visit.account)
        case "pause": try await service.setPaused(true, try chosen(), of: visit.owner)
        case "resume": try await service.setPaused(false, try chosen(), of: visit.owner)
        case "remove":
            let actor = Audit.Actor.account(visit.account.id)
            try await service.accounts.remove(try chosen(), of: visit.owner, by: actor)
        default: throw ServiceError.invalid("action", "expected add, try, pause, resume or remove")
        }
    }
}

import Credentials
import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The form to report a listing, a photo or a message to moderators. Reporting creates a guest account for users
/// without one, as posting does.
struct ReportPages {
    let site: Site
    let accountService: AccountService

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/report", use: form)
        router.post("/report", use: file)
    }

    @Sendable private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        if let ban = context.ban { return site.page.show(.ban(ban), request) }
        let viewer = context.caller?.account
        var response = try show(request, viewer, request.parameters["subject"], request.parameters["id"])
        // The token is set already with the form, so that a form sent twice, because a response was lost, comes from
        // the same guest account.
        if context.cookie == nil { site.page.cookie.set(Token(), in: &response) }
        return response
    }

    @Sendable private func file(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let sent = try await site.page.forms.read(request)
        let viewer = context.caller?.account
        return try await site.page.handleForm {
            let draft = try Report.Draft(sent.typed.filter { $0.key != "lang" }.mapValues(JSONValue.string))
            // The report is checked before a guest account is created, so that a refused report leaves no account
            // behind.
            try site.stores.reports.check(draft, by: viewer)
            let token = context.cookie ?? Token()
            let account = try await accountService.account(request, context, token)
            try await site.stores.reports.file(draft, by: account)
            let path = draft.subject == .listing ? "/listings/\(draft.id.lowercased)" : "/board"
            var response = site.page.redirect(path, done: "report.received")
            site.page.keep(token, of: account, context, in: &response)
            return response
        } orShow: { error, status in
            try show(request, viewer, sent["subject"], sent["id"], typed: sent.typed, problem: error, status: status)
        }
    }

    /// Shows the form. Throws `notFound` if the viewer may not see the subject of the report.
    private func show(
        _ request: Request,
        _ viewer: Account?,
        _ subject: String?,
        _ id: String?,
        typed: [String: String] = [:],
        problem: ServiceError? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        guard let subject = subject.flatMap(Report.Subject.init), let id = id.flatMap(UUID.init(uuidString:)) else {
            throw ServiceError(.notFound, "no such thing to report")
        }
        let isAppeal = try site.stores.reports.isAppeal(subject, id, by: viewer)
        let listing = subject == .listing ? try site.stores.listings.findListing(id: id, Listing.init) : nil
        return site.page.show(request, viewer, status: status) {
            $0.report(subject, id, isAppeal: isAppeal, listing: listing, typed: typed, problem: problem)
        }
    }
}

import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API to report listings, photos and messages to moderators.
struct ReportRoutes {
    let site: Site

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self).post("/v1/reports", use: file)
    }

    /// Accepts a report. The response is the same whether or not the caller has reported the subject before.
    @Sendable private func file(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let draft = try Report.Draft(try await request.fields())
        try await site.stores.reports.file(draft, by: context.account)
        return .object(status: .accepted) { json in
            json.field("subject", draft.subject.rawValue)
            json.field("id", draft.id.lowercased)
        }
    }
}

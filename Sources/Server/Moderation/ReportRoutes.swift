import Domain
import Formats
import HTTPTypes
import Hummingbird
import Storage

/// What people tell moderators of.
struct ReportRoutes {
    let reports: ReportStore

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self).post("/v1/reports", use: file)
    }

    /// The same answer to the first time and to all others.
    @Sendable private func file(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let draft = try Report.Draft(try await request.fields())
        try await reports.file(draft, by: context.account)
        var json = JSONWriter()
        json.object { json in
            json.field("subject", draft.subject.rawValue)
            json.field("id", draft.id.lowercased)
        }
        return Response(json, status: .accepted)
    }
}

import Domain
import Formats
import HTTP
import Hummingbird
import Storage

/// The API for the log of admins' actions.
struct AuditRoutes {
    let site: Site

    func add(to router: Router<ServiceContext>) {
        router.group(context: AdminContext.self).get("/v1/admin/audit", use: entries)
    }

    @Sendable private func entries(_ request: Request, _ context: AdminContext) async throws -> Response {
        let page = try site.stores.audit.page(try AuditLog.Query(request.queryReader()))
        return .list("entries", page.entries, site.baseURL, request, next: page.next) { $0.entry($1) }
    }
}

extension AuditLog.Query {
    init(_ query: QueryReader) throws {
        self.init()
        action = try query.choice("action", Audit.Action.self)
        actor = try query.text("actor")
        subject = try query.text("subject")
        since = try query.timestamp("since")
        until = try query.timestamp("until")
        limit = try query.limit(.audit)
        before = try query.keyCursor()
    }
}

extension AuditLog {
    /// Returns a page of entries, and the cursor of the next page.
    func page(_ query: Query) throws -> (entries: [Audit.Entry], next: String?) {
        let found = try entries(query)
        let page = Array(found.prefix(query.limit))
        return (page, found.count > page.count ? page.last.map { PageCursor(key: $0.id).token } : nil)
    }
}

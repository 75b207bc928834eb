import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API for the alerts of an account.
struct AlertRoutes {
    let service: AlertService
    let baseURL: BaseURL

    private var alerts: AlertStore { service.alerts }

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .get("/v1/me/alerts", use: list)
            .post("/v1/me/alerts", use: create)
            .get("/v1/me/alerts/:id", use: show)
            .patch("/v1/me/alerts/:id", use: edit)
            .delete("/v1/me/alerts/:id", use: remove)
            .get("/v1/me/alerts/:id/listings", use: findings)
    }

    @Sendable private func list(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let found = try alerts.findAlerts(of: context.account)
        var json = JSONWriter()
        json.object { json in
            json.array("alerts", found) { $0.alert($1) }
        }
        return .uncached(json)
    }

    @Sendable private func create(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields()
        try fields.expect(["name", "search"])
        let search = try service.search(fields["search"] ?? .null, request.preferredLanguage)
        let alert = try await alerts.create(
            name: try Self.name(fields),
            search: search.values,
            search.query,
            by: context.account
        )
        var response = answer(alert, status: .created)
        response.headers[.location] = baseURL.link("/v1/me/alerts/\(alert.id.lowercased)")
        return response
    }

    @Sendable private func show(_ request: Request, _ context: SignedInContext) async throws -> Response {
        answer(try alerts.getAlert(id: context.parameters.uuid("alert"), of: context.account))
    }

    @Sendable private func edit(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(mediaTypes: ["application/merge-patch+json", "application/json"])
        try fields.expect(["name", "paused", "search"])
        let search = try fields["search"].map { try service.search($0, request.preferredLanguage) }
        let name = try Self.name(fields)
        let isPaused = try fields["paused"].map { value in
            guard case .bool(let flag) = value else { throw ServiceError.invalid("paused", "expected true or false") }
            return flag
        }
        let precondition = Precondition(request)
        let alert = try await alerts.edit(id: context.parameters.uuid("alert"), of: context.account) { alert in
            try precondition.check([alert.entityTag])
            return AlertChange(
                name: fields["name"] == nil ? alert.name : name,
                isPaused: isPaused ?? alert.isPaused,
                search: search.map { ($0.values, $0.query) }
            )
        }
        return answer(alert)
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let precondition = Precondition(request)
        try await alerts.remove(id: context.parameters.uuid("alert"), of: context.account) { alert in
            try precondition.check([alert.entityTag])
        }
        return .noContent
    }

    @Sendable private func findings(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let query = request.queryReader()
        let limit = try query.limit(.listings)
        let last = try query.keyCursor()
        let alert = try alerts.getAlert(id: context.parameters.uuid("alert"), of: context.account)
        let (found, next) = try alerts.findFindings(of: alert, before: last, limit: limit, Listing.init)
        let cursor = next.map { PageCursor([String($0)]).token }
        var response = Response.list("listings", found, baseURL, request, next: cursor) { json, finding in
            json.object { json in
                json.field("status", finding.status.rawValue)
                json.field("found_at", finding.foundAt.text)
                json.field("id", finding.value.id.lowercased)
                json.field("href", baseURL.link("/v1/listings/\(finding.value.id.lowercased)"))
            }
        }
        response.headers[.cacheControl] = CacheControl.noStore
        return response
    }

    private static func name(_ fields: [String: JSONValue]) throws -> String? {
        try Field("name", fields["name"] ?? .null).text(atMost: Alert.maxNameLength)
    }

    private func answer(_ alert: Alert, status: HTTPResponse.Status = .ok) -> Response {
        var json = JSONWriter()
        json.alert(alert)
        var response = Response.uncached(json, status: status)
        response.headers[.eTag] = alert.entityTag
        return response
    }
}

extension Alert {
    fileprivate var entityTag: String { "\"\(version)\"" }
}

extension JSONWriter {
    fileprivate mutating func alert(_ alert: Alert) {
        object { json in
            json.field("id", alert.id.lowercased)
            json.field("name", alert.name)
            json.object("search") { json in
                for (name, value) in alert.search.sorted(by: { $0.key < $1.key }) { json.field(named: name, value) }
            }
            json.field("paused", alert.isPaused)
            json.field("created_at", alert.createdAt.text)
            json.field("updated_at", alert.updatedAt.text)
        }
    }
}

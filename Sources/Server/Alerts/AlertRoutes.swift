import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API for the alerts of an account, and for how it wants to be told.
struct AlertRoutes {
    let site: Site
    let service: AlertService

    private var alerts: AlertStore { service.alerts }

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .get("/v1/me/alerts", use: list)
            .post("/v1/me/alerts", use: create)
            .get("/v1/me/alerts/:id", use: show)
            .patch("/v1/me/alerts/:id", use: edit)
            .delete("/v1/me/alerts/:id", use: remove)
            .get("/v1/me/alerts/:id/listings", use: findings)
            .get("/v1/me/notifications", use: showSettings)
            .patch("/v1/me/notifications", use: editSettings)
    }

    @Sendable private func list(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let found = try alerts.findAlerts(of: context.account)
        return .uncachedObject { json in
            json.array("alerts", found) { $0.alert($1) }
        }
    }

    @Sendable private func create(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["name", "search", "matches"])
        if let matches = fields["matches"] {
            guard fields["search"] == nil else {
                throw ServiceError.invalid("search", "expected either search or matches")
            }
            return try await create(Self.object(matches), name: Self.name(fields), by: context.account)
        }
        let search = try service.search(fields["search"] ?? .null, request.preferredLanguage)
        let alert = try await alerts.create(
            name: try Self.name(fields),
            search: search.values,
            search.query,
            by: context.account
        )
        var response = answer(alert, status: .created)
        response.headers[.location] = site.baseURL.link("/v1/me/alerts/\(alert.id.lowercased)")
        return response
    }

    private func create(_ matches: [String: JSONValue], name: String?, by account: Account) async throws -> Response {
        try matches.expect(["listing", "minimum_probability"])
        let id = try Field("listing", matches["listing"] ?? .null).uuid()
        let listing = try await site.stores.listings.findListing(id: id)
        guard let listing, listing.owner == account.key else {
            throw ServiceError.invalid("listing", "expected the id of an own listing")
        }
        let (alert, isNew) = try await alerts.createOrContinue(
            for: listing,
            name: name,
            minProbability: Self.probability(matches) ?? Alert.probabilities.lowerBound,
            by: account
        )
        var response = answer(alert, status: isNew ? .created : .ok)
        if isNew { response.headers[.location] = site.baseURL.link("/v1/me/alerts/\(alert.id.lowercased)") }
        return response
    }

    private static func object(_ value: JSONValue) throws -> [String: JSONValue] {
        guard case .object(let fields) = value else { throw ServiceError.invalid("matches", "expected an object") }
        return fields
    }

    private static func probability(_ fields: [String: JSONValue]) throws -> Double? {
        try fields["minimum_probability"].map { value in
            guard case .number(let number) = value, Alert.probabilities.contains(number) else {
                throw ServiceError.invalid("minimum_probability", "expected a number from 0.02 to 1")
            }
            return number
        }
    }

    @Sendable private func show(_ request: Request, _ context: SignedInContext) async throws -> Response {
        answer(try alerts.getAlert(id: context.parameters.uuid(orElse: "no such alert"), of: context.account))
    }

    @Sendable private func edit(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(
            ["name", "paused", "search", "minimum_probability"], mediaTypes: .mergePatch)
        let probability = try Self.probability(fields)
        let search = try fields["search"].map { try service.search($0, request.preferredLanguage) }
        let name = try Self.name(fields)
        let isPaused = try fields["paused"].map { value in
            guard case .bool(let flag) = value else { throw ServiceError.invalid("paused", "expected true or false") }
            return flag
        }
        let precondition = Precondition(request)
        let alert = try await alerts.edit(id: context.parameters.uuid(orElse: "no such alert"), of: context.account) {
            alert in
            try precondition.check([alert.entityTag])
            let isSearch = alert.subject.search != nil
            guard search == nil || isSearch else { throw ServiceError.invalid("search", "this alert is for matches") }
            guard probability == nil || !isSearch else {
                throw ServiceError.invalid("minimum_probability", "this alert is for a search")
            }
            return AlertChange(
                name: fields["name"] == nil ? alert.name : name,
                isPaused: isPaused ?? alert.isPaused,
                search: search.map { ($0.values, $0.query) },
                minProbability: probability
            )
        }
        return answer(alert)
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let precondition = Precondition(request)
        try await alerts.remove(id: context.parameters.uuid(orElse: "no such alert"), of: context.account) { alert in
            try precondition.check([alert.entityTag])
        }
        return .noContent
    }

    @Sendable private func findings(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let query = request.queryReader()
        let limit = try query.limit(.listings)
        let last = try query.keyCursor()
        let alert = try alerts.getAlert(id: context.parameters.uuid(orElse: "no such alert"), of: context.account)
        let (found, next) = try alerts.findFindings(of: alert, before: last, limit: limit, Listing.init)
        let cursor = next.map { PageCursor([String($0)]).token }
        var response = Response.list("listings", found, site.baseURL, request, next: cursor) { json, finding in
            json.object { json in
                json.field("status", finding.status.rawValue)
                json.field("probability", finding.probability)
                json.field("found_at", finding.foundAt.text)
                json.field("id", finding.value.id.lowercased)
                json.field("href", site.baseURL.link("/v1/listings/\(finding.value.id.lowercased)"))
            }
        }
        response.headers[.cacheControl] = CacheControl.noStore
        return response
    }

    @Sendable private func showSettings(_ request: Request, _ context: SignedInContext) throws -> Response {
        answer(try site.stores.notifications.settings(of: context.account))
    }

    @Sendable private func editSettings(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(mediaTypes: .mergePatch)
        let changed = try site.stores.notifications.settings(of: context.account).changed(by: fields)
        try await site.stores.notifications.write(changed, of: context.account)
        return answer(changed)
    }

    private func answer(_ settings: NotificationSettings) -> Response {
        .uncachedObject { json in
            json.field("email", settings.email)
            json.field("frequency", settings.frequency.rawValue)
            json.field("summary_hour", settings.summaryHour)
            json.field("likely_at_once", settings.likelyAtOnce)
        }
    }

    private static func name(_ fields: [String: JSONValue]) throws -> String? {
        try Field("name", fields["name"] ?? .null).text(atMost: Alert.maxNameLength)
    }

    private func answer(_ alert: Alert, status: HTTPResponse.Status = .ok) -> Response {
        var response = Response.uncached(status: status) { $0.alert(alert) }
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
            switch alert.subject {
            case .search(let search):
                json.object("search") { json in
                    for (name, value) in search.sorted(by: { $0.key < $1.key }) { json.field(named: name, value) }
                }
            case .matches(let listing, let probability):
                json.object("matches") { json in
                    json.field("listing", listing.lowercased)
                    json.field("minimum_probability", probability)
                }
            }
            json.field("paused", alert.isPaused)
            json.field("created_at", alert.createdAt.text)
            json.field("updated_at", alert.updatedAt.text)
        }
    }
}

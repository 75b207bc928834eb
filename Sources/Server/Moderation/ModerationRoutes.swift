import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API for moderators.
struct ModerationRoutes {
    let reports: ReportStore
    let moderation: ModerationStore
    let queries: ListingQueryReader
    let baseURL: BaseURL
    let photoService: PhotoService
    /// Nil if the service sends no mail.
    let mail: NotificationMailer?

    func add(to router: Router<ServiceContext>) {
        router.group(context: AdminContext.self)
            .get("/v1/admin/reports", use: queue)
            .get("/v1/admin/reports/:id", use: show)
            .patch("/v1/admin/reports/:id", use: decide)
            .post("/v1/admin/listings/:id/hide", use: hide)
            .post("/v1/admin/listings/:id/restore", use: restore)
            .post("/v1/admin/photos/:id/remove", use: removePhoto)
            .post("/v1/admin/sightings/:id/remove", use: removeSighting)
            .post("/v1/admin/accounts/:id/ban", use: ban)
            .post("/v1/admin/accounts/:id/unban", use: unban)
    }

    @Sendable private func queue(_ request: Request, _ context: AdminContext) async throws -> Response {
        let query = try ReportStore.Query(request.queryReader(), queries, language: request.preferredLanguage)
        let page = try reports.cases(query)
        return .list("reports", page.cases, baseURL, request, next: page.next?.token) {
            $0.report($1, base: baseURL.text)
        }
    }

    @Sendable private func show(_ request: Request, _ context: AdminContext) async throws -> Response {
        try answer(try context.parameters.uuid(orElse: "no such report"))
    }

    private func answer(_ id: UUID) throws -> Response {
        guard let report = try reports.findCase(id: id) else { throw ServiceError(.notFound, "no such report") }
        var json = JSONWriter()
        json.report(report, base: baseURL.text)
        return .uncached(json)
    }

    @Sendable private func decide(_ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such report")
        let fields = try await request.fields(mediaTypes: ["application/merge-patch+json", "application/json"])
        try fields.expect(["status", "note"])
        guard let status = try Field("status", fields["status"] ?? .null).choice(Report.Status.self), status != .open
        else {
            throw ServiceError.invalid("status", "expected dismissed or upheld")
        }
        let note = try Field("note", fields["note"] ?? .null).note()
        try await moderation.decide(id, status, note: note, by: context.actor)
        return try answer(id)
    }

    @Sendable private func hide(_ request: Request, _ context: AdminContext) async throws -> Response {
        let justification = try await justification(request, context)
        let owner = try await moderation.hide(try context.parameters.uuid(orElse: "no such listing"), justification)
        mail?.notifyHidden(owner, justification.reason)
        return .noContent
    }

    @Sendable private func restore(_ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such listing")
        try await moderation.restore(id, note: try await note(request), by: context.actor)
        return .noContent
    }

    @Sendable private func removePhoto(_ request: Request, _ context: AdminContext) async throws -> Response {
        let justification = try await justification(request, context)
        let owner = try await moderation.removePhoto(
            try context.parameters.uuid(orElse: "no such photo"), justification)
        if let owner { mail?.notifyPhotoRemoved(owner, justification.reason) }
        await photoService.removeDeletedFiles()
        return .noContent
    }

    @Sendable private func removeSighting(_ request: Request, _ context: AdminContext) async throws -> Response {
        let justification = try await justification(request, context)
        try await moderation.removeSighting(try context.parameters.uuid(orElse: "no such sighting"), justification)
        await photoService.removeDeletedFiles()
        return .noContent
    }

    @Sendable private func ban(_ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such account")
        let fields = try await request.fields()
        try fields.expect(["reason", "note", "until"])
        let until = try Field("until", fields["until"] ?? .null).futureTimestamp()
        let justification = try fields.justification(by: context.actor)
        let owner = try await moderation.ban(id, until: until, justification)
        mail?.notifyBanned(owner, Ban(reason: justification.reason, until: until))
        return .noContent
    }

    @Sendable private func unban(_ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such account")
        try await moderation.unban(id, note: try await note(request), by: context.actor)
        return .noContent
    }

    private func justification(
        _ request: Request,
        _ context: AdminContext
    ) async throws -> ModerationStore.Justification {
        let fields = try await request.fields()
        try fields.expect(["reason", "note"])
        return try fields.justification(by: context.actor)
    }

    private func note(_ request: Request) async throws -> String? {
        let fields = try await request.fields()
        try fields.expect(["note"])
        return try Field("note", fields["note"] ?? .null).note()
    }
}

extension [String: JSONValue] {
    func justification(by actor: Audit.Actor) throws(ServiceError) -> ModerationStore.Justification {
        let reason = try Field("reason", self["reason"] ?? .null).moderatorsReason()
        return ModerationStore.Justification(reason, note: try Field("note", self["note"] ?? .null).note(), by: actor)
    }
}

extension ReportStore.Query {
    init(_ query: QueryReader, _ queries: ListingQueryReader, language: Language) throws {
        self.init()
        search = try query.text("q").map { try queries.readList($0, language: language) }
        status = try query.choice("status", Report.Status.self) ?? .open
        order = try query.choice("sort", Order.self) ?? .oldest
        limit = try query.limit(.reports)
        cursor = try query.cursor(fields: 2) { ReportStore.Cursor($0) }
    }
}

extension ReportStore.Cursor {
    /// The cursor as clients see it: the number of reports and the key.
    var token: String { PageCursor([String(reports), String(key)]).token }

    fileprivate init?(_ fields: [String]) {
        guard let reports = Int(fields[0]), let key = Int64(fields[1]) else { return nil }
        self.init(reports: reports, key: key)
    }
}

extension Response {
    /// Returns a page of a list that only admins may see.
    static func list<Item>(
        _ name: StaticString,
        _ items: [Item],
        _ baseURL: BaseURL,
        _ request: Request,
        next: String?,
        _ write: (inout JSONWriter, Item) -> Void
    ) -> Response {
        var links = [Link(rel: "self", href: baseURL.link(request), type: "application/json")]
        if let next {
            links.append(Link(rel: "next", href: baseURL.link(request, cursor: next), type: "application/json"))
        }
        var json = JSONWriter()
        json.object { json in
            json.array(name, items, write)
            json.field("numberReturned", items.count)
            json.links(links)
        }
        var response = Response.uncached(json)
        response.headers[.link] = links.header
        return response
    }
}

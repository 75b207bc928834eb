import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API for moderators.
struct ModerationRoutes {
    let site: Site
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
        let query = try ReportStore.Query(request.queryReader(), site.queries, language: request.preferredLanguage)
        let page = try site.stores.reports.cases(query)
        return .list("reports", page.cases, site.baseURL, request, next: page.next?.token) {
            $0.report($1, base: site.baseURL.text)
        }
    }

    @Sendable private func show(_ request: Request, _ context: AdminContext) async throws -> Response {
        try answer(try context.parameters.uuid(orElse: "no such report"))
    }

    private func answer(_ id: UUID) throws -> Response {
        guard let report = try site.stores.reports.findCase(id: id) else {
            throw ServiceError(.notFound, "no such report")
        }
        return .uncached { $0.report(report, base: site.baseURL.text) }
    }

    @Sendable private func decide(_ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such report")
        let fields = try await request.fields(["status", "note"], mediaTypes: .mergePatch)
        guard let status = try Field("status", fields["status"] ?? .null).choice(Report.Status.self), status != .open
        else {
            throw ServiceError.invalid("status", "expected dismissed or upheld")
        }
        let note = try Field("note", fields["note"] ?? .null).note()
        try await site.stores.moderation.decide(id, status, note: note, by: context.actor)
        return try answer(id)
    }

    @Sendable private func hide(_ request: Request, _ context: AdminContext) async throws -> Response {
        let justification = try await justification(request, context)
        let owner = try await site.stores.moderation.hide(
            try context.parameters.uuid(orElse: "no such listing"), justification)
        mail?.notifyHidden(owner, justification.reason)
        return .noContent
    }

    @Sendable private func restore(_ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such listing")
        try await site.stores.moderation.restore(id, note: try await note(request), by: context.actor)
        return .noContent
    }

    @Sendable private func removePhoto(_ request: Request, _ context: AdminContext) async throws -> Response {
        let justification = try await justification(request, context)
        let owner = try await site.stores.moderation.removePhoto(
            try context.parameters.uuid(orElse: "no such photo"), justification)
        if let owner { mail?.notifyPhotoRemoved(owner, justification.reason) }
        await site.photoService.removeDeletedFiles()
        return .noContent
    }

    @Sendable private func removeSighting(_ request: Request, _ context: AdminContext) async throws -> Response {
        let justification = try await justification(request, context)
        try await site.stores.moderation.removeSighting(
            try context.parameters.uuid(orElse: "no such sighting"), justification)
        await site.photoService.removeDeletedFiles()
        return .noContent
    }

    @Sendable private func ban(_ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such account")
        let fields = try await request.fields(["reason", "note", "until"])
        let until = try Field("until", fields["until"] ?? .null).futureTimestamp()
        let justification = try fields.justification(by: context.actor)
        let owner = try await site.stores.moderation.ban(id, until: until, justification)
        mail?.notifyBanned(owner, Ban(reason: justification.reason, until: until))
        return .noContent
    }

    @Sendable private func unban(_ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such account")
        try await site.stores.moderation.unban(id, note: try await note(request), by: context.actor)
        return .noContent
    }

    private func justification(
        _ request: Request,
        _ context: AdminContext
    ) async throws -> ModerationStore.Justification {
        let fields = try await request.fields(["reason", "note"])
        return try fields.justification(by: context.actor)
    }

    private func note(_ request: Request) async throws -> String? {
        let fields = try await request.fields(["note"])
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

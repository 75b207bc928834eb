import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The web pages for moderators.
struct ModerationPages {
    let site: Site
    /// Nil if the service sends no mail.
    let mail: NotificationMailer?

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/moderation", use: queue)
        router.get("/moderation/audit", use: entries)
        router.post("/moderation/reports/:id", use: act)
    }

    /// Renders a page that no later user of the same device can see again.
    private func show<View: PageView>(
        _ request: Request,
        _ viewer: Account,
        status: HTTPResponse.Status = .ok,
        _ page: (PageBuilder) throws -> View
    ) rethrows -> Response {
        try site.page.show(request, viewer, status: status, isPrivate: true, page)
    }

    @Sendable private func queue(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let admin = try AdminContext(context: context)
        let values = request.filled(["status", "sort", "q", "cursor"])
        do {
            return try show(try query(values, request), request, admin.account)
        } catch let error as ServiceError where error.field == "q" {
            let query = try query(values.filter { $0.key != "q" }, request)
            return try show(query, request, admin.account, searchProblem: error, status: .badRequest)
        }
    }

    private func query(_ values: [String: String], _ request: Request) throws -> ReportStore.Query {
        try ReportStore.Query(.init(values), site.queries, language: site.page.pageLanguage(request))
    }

    private func show(
        _ query: ReportStore.Query,
        _ request: Request,
        _ viewer: Account,
        problem: ModerationView.Problem? = nil,
        searchProblem: ServiceError? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let found = try site.stores.reports.cases(query)
        let next = found.next.map { cursor in "/moderation" + query.address(["cursor": cursor.token]) }
        let hasNoHelp = try viewer.role == .admin && site.stores.pois.isEmpty
        return try show(request, viewer, status: status) { page in
            page.moderation(
                try found.cases.map {
                    page.reported($0, try listing($0.listing), try $0.photoCopies.compactMap(listing), query)
                },
                values: query.values,
                reading: query.search?.reading,
                status: query.status,
                isByCount: query.order == .mostReported,
                next: next,
                hasNoHelp: hasNoHelp,
                problem: problem,
                searchProblem: searchProblem
            )
        }
    }

    private func listing(_ id: UUID?) throws -> Listing? {
        try id.flatMap { try site.stores.listings.findListing(id: $0, Listing.init) }
    }

    @Sendable private func entries(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let admin = try AdminContext(context: context)
        let query = try AuditLog.Query(.init(request.filled(["action", "actor", "subject", "cursor"])))
        let found = try site.stores.audit.page(query)
        var fields = URLComponents()
        fields.queryItems = [
            URLQueryItem(name: "action", value: query.action?.rawValue),
            URLQueryItem(name: "actor", value: query.actor),
            URLQueryItem(name: "subject", value: query.subject), URLQueryItem(name: "cursor", value: found.next),
        ].filter { $0.value != nil }
        return show(request, admin.account) {
            $0.audit(
                found.entries,
                action: query.action,
                actor: query.actor ?? "",
                subject: query.subject ?? "",
                next: found.next.map { _ in "/moderation/audit?" + (fields.percentEncodedQuery ?? "") }
            )
        }
    }

    private enum Action: String, CaseIterable {
        case dismiss, uphold, hide, restore, remove, ban, unban
    }

    @Sendable private func act(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let admin = try AdminContext(context: context)
        let id = try context.parameters.uuid(orElse: "no such report")
        let form = try await site.page.forms.read(request)
        let fields = form.typed.mapValues(JSONValue.string)
        let query = try query(form.typed.filter { ["status", "sort", "q"].contains($0.key) }, request)
        do {
            guard let report = try site.stores.reports.findCase(id: id, texts: 0) else {
                throw ServiceError(.notFound, "no such report")
            }
            guard let action = try Field("action", fields["action"] ?? .null).choice(Action.self) else {
                throw ServiceError.invalid("action", "expected what to do")
            }
            if form.typed["confirmed"] != "yes",
                let question = ModerationConfirmationView.Action(rawValue: action.rawValue)
            {
                _ = (try fields.justification(by: admin.actor), try fields.banEnd())
                let listing = try listing(report.listing)
                return show(request, admin.account) {
                    $0.moderationConfirmation(
                        question,
                        of: report.subject,
                        listing: listing,
                        report: id,
                        fields: form.typed
                    )
                }
            }
            try await act(action, on: report, fields, by: admin.actor)
            return site.page.redirect("/moderation" + query.address(), done: "moderation.done")
        } catch let error as ServiceError {
            let (problem, status): (ModerationView.Problem, HTTPResponse.Status) =
                switch error.code {
                case .conflict: (.conflict, .conflict)
                case .notFound: (.gone, .notFound)
                case .invalid: (.note, error.statusOfForm)
                // Other errors, such as a full disk, do not come from the moderator's input.
                default: throw error
                }
            return try show(query, request, admin.account, problem: problem, status: status)
        }
    }

    private func act(
        _ action: Action,
        on report: ReportStore.Case,
        _ fields: [String: JSONValue],
        by actor: Audit.Actor
    ) async throws {
        let (justification, end) = (try fields.justification(by: actor), try fields.banEnd())
        switch action {
        case .dismiss:
            try await site.stores.moderation.decide(report.id, .dismissed, note: justification.note, by: actor)
        case .uphold: try await site.stores.moderation.decide(report.id, .upheld, note: justification.note, by: actor)
        case .hide:
            let owner = try await site.stores.moderation.hide(try report.requiredListing, justification)
            mail?.notifyHidden(owner, justification.reason)
        case .restore:
            try await site.stores.moderation.restore(try report.requiredListing, note: justification.note, by: actor)
        case .remove where report.subject == .sighting:
            try await site.stores.moderation.removeSighting(report.subjectID, justification)
            await site.photoService.removeDeletedFiles()
        case .remove:
            let photo = report.subject == .photo ? report.subjectID : report.photo?.id
            guard let photo else { throw ServiceError(.notFound, "no such photo") }
            let owner = try await site.stores.moderation.removePhoto(photo, justification)
            if let owner { mail?.notifyPhotoRemoved(owner, justification.reason) }
            await site.photoService.removeDeletedFiles()
        case .ban:
            let owner = try await site.stores.moderation.ban(report.account, until: end, justification)
            mail?.notifyBanned(owner, Ban(reason: justification.reason, until: end))
        case .unban: try await site.stores.moderation.unban(report.account, note: justification.note, by: actor)
        }
    }
}

extension [String: JSONValue] {
    /// Returns the time at which the ban ends: the given number of days from now, or nil for a permanent ban.
    fileprivate func banEnd() throws(ServiceError) -> Timestamp? {
        guard case .string(let days)? = self["days"] else { return nil }
        guard let days = Int(days), (1...3650).contains(days) else {
            throw .invalid("days", "expected a number between 1 and 3650")
        }
        return Timestamp.now.adding(seconds: Double(days) * 86_400)
    }
}

extension ReportStore.Case {
    fileprivate var requiredListing: UUID {
        get throws(ServiceError) {
            guard let listing else { throw ServiceError(.notFound, "no such listing") }
            return listing
        }
    }
}

extension ReportStore.Query {
    /// The parameters of the page.
    fileprivate var values: [String: String] {
        var values = ["status": status.rawValue, "sort": order.rawValue]
        values["q"] = search?.text
        return values
    }

    /// Returns the parameters and others as the query of a URL.
    fileprivate func address(_ others: [String: String] = [:]) -> String {
        BoardFilters.query(values.merging(others) { $1 })
    }
}

extension PageBuilder {
    fileprivate func reported(
        _ report: ReportStore.Case,
        _ listing: Listing?,
        _ photoCopies: [Listing],
        _ query: ReportStore.Query
    ) -> ReportedView {
        reported(
            id: report.id,
            report.subject,
            report.subjectID,
            isOpen: report.status == .open,
            reports: report.reports,
            reasons: report.reasons,
            reportedAt: report.reportedAt,
            texts: report.texts,
            account: report.account,
            role: report.role,
            ban: report.ban,
            isThere: report.isThere,
            message: report.message,
            copies: report.copies.map { ($0, ReportStore.maxCompared) },
            photoCopies: photoCopies,
            photo: report.photo,
            listing: listing,
            status: query.status,
            sort: query.order.rawValue,
            text: query.search?.text
        )
    }
}

extension Request {
    /// Returns the named query parameters that are not empty.
    fileprivate func filled(_ names: Set<String>) -> [String: String] {
        queryFields.reduce(into: [:]) { values, field in
            if names.contains(field.name), !field.value.isEmpty { values[field.name] = field.value }
        }
    }
}

import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The page to which the links in mails lead that end them, or narrow the alert that sends them.
///
/// Mail programs send a request from elsewhere and without a cookie (RFC 8058), so that other sites are not refused. The
/// token in the address permits the request, and nothing else.
struct UnsubscribePages {
    let site: Site
    let service: AlertService

    func add(to router: Router<ServiceContext>) {
        router.get("/unsubscribe/:token", use: askToUnsubscribe)
        router.post("/unsubscribe/:token", use: unsubscribe)
    }

    /// Opening the link changes nothing, because virus scanners open all links in a mail.
    @Sendable private func askToUnsubscribe(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let link = try link(request, context)
        let reader = try site.stores.notifications.findReader(token: link.token)
        let alert = try reader.flatMap { try find(link.alert, of: $0) }
        let query = link.alert.map { "?alert=\($0.lowercased)" } ?? ""
        return show(request, context, status: reader == nil ? .notFound : .ok) {
            $0.unsubscribe(
                action: reader == nil ? nil : "/unsubscribe/\(link.token)\(query)",
                isOne: link.alert != nil,
                radii: alert?.narrowerRadii ?? []
            )
        }
    }

    /// Nil if there is no such alert any more.
    private func find(_ id: UUID?, of reader: Account) throws -> Alert? {
        try id.flatMap { id in try service.alerts.findAlerts(of: reader).first { $0.id == id } }
    }

    private func narrow(_ link: (token: String, alert: UUID?), to radius: String) async throws -> Int? {
        guard let reader = try site.stores.notifications.findReader(token: link.token),
            let alert = try find(link.alert, of: reader)
        else { return nil }
        let radii = alert.narrowerRadii
        guard let metres = Int(radius), radii.contains(metres) else {
            throw ServiceError.invalid("radius", "expected one of \(radii.map(String.init).joined(separator: ", "))")
        }
        try await service.narrow(alert, of: reader, to: metres)
        return metres
    }

    @Sendable private func unsubscribe(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let link = try link(request, context)
        let sent = try await site.page.forms.read(request)
        if let radius = sent["radius"] {
            let metres = try await narrow(link, to: radius)
            return show(request, context, status: metres == nil ? .notFound : .ok) {
                $0.unsubscribe(action: nil, isDone: metres != nil, radius: metres)
            }
        }
        let alert = sent["all"] == nil ? link.alert : nil
        guard try await site.stores.notifications.unsubscribe(token: link.token, alert: alert) else {
            return show(request, context, status: .notFound) { $0.unsubscribe(action: nil) }
        }
        // RFC 8058 advises against a redirect.
        return show(request, context, status: .ok) { $0.unsubscribe(action: nil, isDone: true) }
    }

    private func link(_ request: Request, _ context: ServiceContext) throws -> (token: String, alert: UUID?) {
        let alert = request.uri.queryParameters["alert"].map(String.init)
        return (try context.parameters.require("token"), alert.flatMap(UUID.init))
    }

    /// The headers keep the token from other sites and from caches.
    private func show(
        _ request: Request,
        _ context: ServiceContext,
        status: HTTPResponse.Status,
        _ page: (PageBuilder) -> UnsubscribeView
    ) -> Response {
        var response = site.page.show(request, context.caller?.account, status: status, isPrivate: true, page)
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }
}

import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The page to which the links in mails lead that end them.
///
/// Mail programs send a request from elsewhere and without a cookie (RFC 8058), so that other sites are not refused. The
/// token in the address permits the request, and nothing else.
struct UnsubscribePages {
    let renderer: PageRenderer
    let settings: NotificationStore

    func add(to router: Router<ServiceContext>) {
        router.get("/unsubscribe/:token", use: askToUnsubscribe)
        router.post("/unsubscribe/:token", use: unsubscribe)
    }

    /// Opening the link changes nothing, because virus scanners open all links in a mail.
    @Sendable private func askToUnsubscribe(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let link = try link(request, context)
        let isKnown = try settings.hasToken(link.token)
        let query = link.alert.map { "?alert=\($0.lowercased)" } ?? ""
        return show(request, context, status: isKnown ? .ok : .notFound) {
            $0.unsubscribe(action: isKnown ? "/unsubscribe/\(link.token)\(query)" : nil, isOne: link.alert != nil)
        }
    }

    @Sendable private func unsubscribe(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let link = try link(request, context)
        let sent = try await renderer.forms.read(request)
        let alert = sent["all"] == nil ? link.alert : nil
        guard try await settings.unsubscribe(token: link.token, alert: alert) else {
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
        var response = renderer.show(request, context.caller?.account, status: status, isPrivate: true, page)
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }
}

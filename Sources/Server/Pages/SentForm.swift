import Domain
import Forms
import Hummingbird

extension FormDesk.Filled {
    subscript(_ name: String) -> String? { fields.first(name) }

    /// By name, without those left empty.
    var typed: [String: String] {
        fields.names.reduce(into: [:]) { typed, name in
            if let value = fields.first(name), !value.isEmpty { typed[name] = value }
        }
    }
}

/// Lets forms come from our own pages only: a page elsewhere can make a browser send one, with its cookie.
struct SameOriginMiddleware: RouterMiddleware {
    let baseURL: BaseURL

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard request.isSafe || request.comes(from: baseURL) else {
            throw ServiceError(.forbidden, "Origin: expected a form of this site", field: "origin")
        }
        return try await next(request, context)
    }
}

import Domain
package import HTTP
import HTTPTypes
package import Hummingbird

/// Rejects query parameters that the operation does not have.
package struct ParameterMiddleware: RouterMiddleware {
    private let known: [String: Set<String>]

    package init(_ operations: [Operation]) {
        known = Dictionary(
            operations.filter(\.isStrict).map { (Self.key($0.method, $0.path), $0.names(of: .query)) }
        ) { $1 }
    }

    package func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let method = request.method == .head ? .get : request.method
        if request.uri.query != nil, let path = context.endpointPath, let known = known[Self.key(method, path)] {
            try check(request, known)
        }
        return try await next(request, context)
    }

    private func check(_ request: Request, _ known: Set<String>) throws(ServiceError) {
        guard let name = request.queryFields.lazy.map(\.name).first(where: { !known.contains($0) }) else { return }
        let expected = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
        throw .invalid(name, "is not a parameter here: expected \(expected)")
    }

    private static func key(_ method: HTTPRequest.Method, _ path: String) -> String { "\(method) \(path)" }
}

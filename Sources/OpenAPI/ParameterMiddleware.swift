import Domain
package import HTTP
import HTTPTypes
package import Hummingbird

/// Rejects query parameters that the operation does not have, that have no value, or that are repeated although they are
/// no lists.
package struct ParameterMiddleware: RouterMiddleware {
    /// The parameters of each operation by name.
    private let known: [String: [String: Parameter]]

    package init(_ operations: [Operation]) {
        known = operations.filter(\.isStrict).reduce(into: [:]) { known, operation in
            let parameters = operation.parameters.filter { $0.place == .query }
            known[Self.key(operation.method, operation.path)] = Dictionary(parameters.map { ($0.name, $0) }) { $1 }
        }
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

    private func check(_ request: Request, _ known: [String: Parameter]) throws(ServiceError) {
        var names: Set<String> = []
        for (name, value) in request.queryFields {
            guard let parameter = known[name] else {
                let expected: ErrorMessage =
                    known.isEmpty ? "none" : ErrorMessage(verbatim: known.keys.sorted().joined(separator: ", "))
                throw .invalid(name, "is not a parameter here: expected \(expected)")
            }
            guard names.insert(name).inserted || parameter.isList else { throw .invalid(name, "expected once") }
            guard !value.trimmed.isEmpty || parameter.mayBeEmpty else {
                throw .invalid(name, "expected a value, or not the parameter")
            }
        }
    }

    private static func key(_ method: HTTPRequest.Method, _ path: String) -> String { "\(method) \(path)" }
}

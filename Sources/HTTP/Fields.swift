package import Domain
package import Formats
package import Foundation
import HTTPTypes
package import Hummingbird

extension [String: JSONValue] {
    /// Throws `invalid` for the first key, in alphabetical order, that is not in `names`.
    package func expect(_ names: [String]) throws(ServiceError) {
        guard let unknown = keys.sorted().first(where: { !names.contains($0) }) else { return }
        throw .invalid(unknown, "is not a field here: expected \(names.joined(separator: ", "))")
    }
}

extension Parameters {
    /// Returns the `id` parameter of the path.
    ///
    /// - Parameter absence: the message of the error `notFound` if it is not a UUID.
    package func uuid(orElse absence: ErrorMessage) throws(ServiceError) -> UUID {
        guard let id = get("id").flatMap(UUID.init(uuidString:)) else { throw ServiceError(.notFound, absence) }
        return id
    }
}

/// Values of the `Cache-Control` header (RFC 9111, 5.2.2).
package enum CacheControl {
    /// Neither browsers nor proxies may keep the response. Responses with data of one account, and those that differ
    /// with each request, have it.
    package static let noStore = "no-store"
}

extension Response {
    /// Returns a JSON response that no cache may store.
    package static func uncached(_ json: borrowing JSONWriter, status: HTTPResponse.Status = .ok) -> Response {
        var response = Response(json, status: status)
        response.headers[.cacheControl] = CacheControl.noStore
        return response
    }

    package static func uncached(
        status: HTTPResponse.Status = .ok,
        _ write: (inout JSONWriter) throws -> Void
    ) rethrows -> Response {
        var json = JSONWriter()
        try write(&json)
        return uncached(json, status: status)
    }

    /// Returns a response with a JSON object that no cache may store.
    package static func uncachedObject(
        status: HTTPResponse.Status = .ok,
        _ members: (inout JSONWriter) throws -> Void
    ) rethrows -> Response {
        try uncached(status: status) { try $0.object(members) }
    }
}

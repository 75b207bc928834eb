import Domain
import Formats
import Foundation
import HTTPTypes
import Hummingbird

extension [String: JSONValue] {
    /// Throws `invalid` for the first that is none of these.
    func expect(_ names: [String]) throws(ServiceError) {
        guard let unknown = keys.sorted().first(where: { !names.contains($0) }) else { return }
        throw .invalid(unknown, "is not a field here: expected \(names.joined(separator: ", "))")
    }
}

extension Parameters {
    /// The `id` of a path; throws `notFound` where it is no UUID.
    func uuid(_ noun: String) throws(ServiceError) -> UUID {
        guard let id = get("id").flatMap(UUID.init(uuidString:)) else {
            throw ServiceError(.notFound, "no such \(noun)")
        }
        return id
    }
}

extension Response {
    /// What nobody keeps a copy of.
    static func unkept(_ json: borrowing JSONWriter) -> Response {
        var response = Response(json)
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

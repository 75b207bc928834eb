package import Domain
import HTTPTypes
package import Hummingbird

/// The conditions of a write: the resource must still be the version that the client read (`If-Match`), or must not
/// exist yet (`If-None-Match`) (RFC 9110, 13.1).
package struct Precondition: Sendable {
    private let matching: [String]?
    private let noneMatching: [String]?

    package init(_ request: Request) {
        matching = request.headers[.ifMatch]?.entityTags
        noneMatching = request.headers[.ifNoneMatch]?.entityTags
    }

    /// Throws `preconditionFailed` if a condition is not met.
    ///
    /// - Parameter tags: the entity tags of the present resource, with their quotes; empty if the resource does not
    ///   exist.
    package func check(_ tags: [String]) throws(ServiceError) {
        if let matching, tags.isEmpty || !matching.contains(where: { $0 == "*" || tags.contains($0) }) {
            throw ServiceError(.preconditionFailed, "If-Match: this was changed meanwhile: read it again")
        }
        if let noneMatching, !tags.isEmpty, noneMatching.contains(where: { $0 == "*" || tags.contains($0) }) {
            throw ServiceError(.preconditionFailed, "If-None-Match: there is something already")
        }
    }
}

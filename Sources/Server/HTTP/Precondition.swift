import Domain
import HTTPTypes
import Hummingbird

/// What a writer insists on: that what is there is what they saw, or that nothing is (RFC 9110, 13.1).
struct Precondition: Sendable {
    private let matching: [String]?
    private let noneMatching: [String]?

    init(_ request: Request) {
        matching = request.headers[.ifMatch]?.entityTags
        noneMatching = request.headers[.ifNoneMatch]?.entityTags
    }

    /// Throws `preconditionFailed`.
    ///
    /// - Parameter tags: those of what is there, with their quotes; none where nothing is.
    func check(_ tags: [String]) throws(ServiceError) {
        if let matching, tags.isEmpty || !matching.contains(where: { $0 == "*" || tags.contains($0) }) {
            throw ServiceError(.preconditionFailed, "If-Match: this was changed meanwhile: read it again")
        }
        if let noneMatching, !tags.isEmpty, noneMatching.contains(where: { $0 == "*" || tags.contains($0) }) {
            throw ServiceError(.preconditionFailed, "If-None-Match: there is something already")
        }
    }
}

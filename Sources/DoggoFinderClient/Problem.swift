import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An error that the service answered (RFC 9457).
public struct Problem: Error, Codable, Sendable, CustomStringConvertible {
    /// A town that an unclear place may mean, or a point that a doubtful one may mean.
    public struct Candidate: Codable, Sendable {
        public let place: String
        public let lon: Double
        public let lat: Double
    }

    /// The status of the answer, such as 404.
    public let status: Int
    public let title: String
    /// The reason and what was expected, in the language of the request.
    public let detail: String
    /// The field or parameter that was wrong.
    public let field: String?
    /// The best first.
    public let candidates: [Candidate]?

    public var description: String { detail }

    init(_ status: Int, _ body: Data) {
        if let problem = try? JSONDecoder.wire.decode(Self.self, from: body) {
            self = problem
        } else {
            // A proxy in front of the service answers in its own format.
            self.init(
                status: status,
                title: HTTPURLResponse.localizedString(forStatusCode: status),
                detail: String(decoding: body.prefix(1000), as: UTF8.self),
                field: nil,
                candidates: nil
            )
        }
    }

    private init(status: Int, title: String, detail: String, field: String?, candidates: [Candidate]?) {
        self.status = status
        self.title = title
        self.detail = detail
        self.field = field
        self.candidates = candidates
    }
}

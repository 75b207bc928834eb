package import HTTPTypes
package import Hummingbird
import Synchronization

/// Maps paths to the methods that they support. `fill(from:)` is called once, after all routes have been registered.
package final class RouteIndex: Sendable {
    fileprivate struct Entry {
        let segments: [RouterPath.Element]
        let method: HTTPRequest.Method
    }

    private let entries = Mutex<[Entry]>([])

    package init() {}

    package func fill(from router: Router<ServiceContext>) {
        let all = router.routes.map { Entry(segments: $0.path.components, method: $0.method) }
        entries.withLock { $0 = all }
    }

    /// The methods that at least one path supports.
    package var methods: [HTTPRequest.Method] {
        let all = Set(entries.withLock { $0 }.map(\.method) + [.head])
        return all.sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns the methods of the most specific route that matches the path, as the router selects it:
    /// `/v1/listings/count` does not match `/v1/listings/{id}`.
    package func methods(for path: String) -> [HTTPRequest.Method] {
        let parts = path.split(separator: "/")
        let fitting = entries.withLock { $0 }.filter { entry in
            entry.segments.count == parts.count && zip(entry.segments, parts).allSatisfy { $0.0 ~= $0.1 }
        }
        let best = fitting.map(\.specificity).min { $0.lexicographicallyPrecedes($1) }
        return fitting.filter { $0.specificity == best }.map(\.method).flatMap { $0 == .get ? [.get, .head] : [$0] }
    }
}

extension RouteIndex.Entry {
    /// The specificity of each segment: 0 for a literal, 1 for a pattern that is partly literal, 2 for a placeholder.
    fileprivate var specificity: [Int] {
        segments.map { segment in
            let text = segment.description
            return text.contains(#/^(\{\w+\}|\*+)$/#) ? 2 : text.contains(#/[{*]/#) ? 1 : 0
        }
    }
}

import HTTPTypes
import Hummingbird
import Synchronization

/// Knows which methods a path answers to. Filled once, when all routes are in.
final class RouteIndex: Sendable {
    private struct Entry {
        let segments: [RouterPath.Element]
        let method: HTTPRequest.Method
    }

    private let entries = Mutex<[Entry]>([])

    func fill(from router: Router<ServiceContext>) {
        let all = router.routes.map { Entry(segments: $0.path.components, method: $0.method) }
        entries.withLock { $0 = all }
    }

    func methods(for path: String) -> [HTTPRequest.Method] {
        let parts = path.split(separator: "/")
        let fitting = entries.withLock { $0 }.filter { entry in
            entry.segments.count == parts.count && zip(entry.segments, parts).allSatisfy { $0.0 ~= $0.1 }
        }
        return fitting.map(\.method).flatMap { $0 == .get ? [.get, .head] : [$0] }
    }
}

import HTTPTypes
import Hummingbird
import NIOCore
import OpenAPI
import Testing

@testable import Server

@Suite("Sets of routes")
struct RouteSetsTests {
    @Test("Every form that can contain a photo counts as one")
    func photos() {
        let forms = Operation.all.filter { $0.body?.content.contains { $0.type == "multipart/form-data" } ?? false }
        #expect(forms.count >= 4)
        for operation in forms {
            var head = HTTPRequest(method: operation.method, scheme: "http", authority: "localhost", path: "/")
            head.headerFields[.contentType] = "multipart/form-data; boundary=x"
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            #expect(RateLimits.Kind(request, route: operation.path) == .photo, "\(operation.path)")
        }
    }

    @Test("Every route that is always slow exists")
    func slowRoutes() {
        let paths = Set(Operation.all.map(\.path))
        for route in SlowReadMiddleware.slowRoutes where route.hasPrefix("/v1/") {
            #expect(paths.contains(route), "\(route)")
        }
    }
}

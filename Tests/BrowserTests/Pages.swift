import Foundation
import Hummingbird
import Logging
import Server
import ServerSupport

/// Serves small pages on a loopback port, for tests of the harness itself.
struct Pages {
    /// The scheme, host and port.
    let base: String

    /// Serves the files while the body runs.
    ///
    /// - Parameter files: the contents by path; a path that ends with `.js` is served as a script.
    static func with(_ files: [String: String], _ body: (Pages) async throws -> Void) async throws {
        let router = Router()
        for (path, content) in files {
            let type = path.hasSuffix(".js") ? "text/javascript" : "text/html; charset=utf-8"
            router.get(RouterPath(path)) { _, _ in
                Response(
                    status: .ok,
                    headers: [.contentType: type, .setCookie: "visited=yes; HttpOnly; SameSite=Lax"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: content))
                )
            }
        }
        try await serving { onReady in
            Application(
                router: router,
                configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { await onReady($0.localAddress?.port ?? 0) },
                logger: Logger(label: "pages") { _ in SwiftLogNoOpLogHandler() }
            ).serviceGroup()
        } _: { port in
            try await body(Pages(base: "http://127.0.0.1:\(port)"))
        }
    }
}

import Foundation
import ServerSupport
import Testing

@Suite("Methods and paths")
struct MethodTests {
    private static let id = "00000000-0000-4000-8000-000000000000"

    /// The paths of all routes with their methods; path parameters are filled in.
    private static func paths(_ service: RunningService) -> [String: Set<String>] {
        service.routes.reduce(into: [:]) { paths, route in
            let parts = route.split(separator: " ")
            let path = parts[1].replacing("{layer}", with: "pois").replacing("{number}", with: "1")
                .replacing(#/\{[xyz]\}/#, with: "0").replacing(#/\{\w+\}/#, with: id)
            paths[String(path), default: []].insert(String(parts[0]))
        }
    }

    private static func names(_ list: String?) -> Set<String> {
        Set((list ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
    }

    @Test("An unsupported method is answered with 405 and the supported ones, on every path")
    func lackingMethods() async throws {
        try await RunningService.with(hasModel: false) { service in
            for (path, methods) in Self.paths(service) {
                let allowed = methods.union(["OPTIONS"]).union(methods.contains("GET") ? ["HEAD"] : [])
                let others = ["TRACE", "QUERY", "PROPFIND", "PUT", "PATCH", "DELETE", "POST"]
                for (index, method) in others.filter({ !allowed.contains($0) }).enumerated() {
                    let accept = index.isMultiple(of: 2) ? "*/*" : "text/html"
                    let answer = try await service.send(method, path, headers: ["Accept": accept])
                    #expect(answer.status == 405, "\(method) \(path)")
                    #expect(Self.names(answer.headers["allow"]) == allowed, "\(method) \(path)")
                    #expect(answer.headers["content-type"] == "application/problem+json")
                }
            }
        }
    }

    @Test("OPTIONS lists the methods of every path and permits cross-origin requests")
    func options() async throws {
        try await RunningService.with(hasModel: false) { service in
            for (path, methods) in Self.paths(service) {
                let plain = try await service.send("OPTIONS", path)
                let allowed = methods.union(["OPTIONS"]).union(methods.contains("GET") ? ["HEAD"] : [])
                #expect(plain.status == 204 && Self.names(plain.headers["allow"]) == allowed, "\(path)")
                #expect(plain.headers["access-control-allow-methods"] == nil)
                let preflight = try await service.send(
                    "OPTIONS",
                    path,
                    headers: ["Origin": "https://app.example", "Access-Control-Request-Method": "PATCH"]
                )
                #expect(preflight.status == 204)
                #expect(preflight.headers["access-control-allow-origin"] == "*")
                #expect(Self.names(preflight.headers["access-control-allow-methods"]) == allowed)
                let accepted = Self.names(preflight.headers["access-control-allow-headers"])
                #expect(accepted.isSuperset(of: ["Authorization", "Content-Type", "If-Match", "Idempotency-Key"]))
                #expect(preflight.headers["access-control-max-age"] == "86400")
                #expect(preflight.headers["access-control-allow-credentials"] == nil)
            }
            #expect(try await service.send("OPTIONS", "/nowhere").status == 404)
            let all = try await service.exchange(
                "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            )
            #expect(all.hasPrefix("HTTP/1.1 204"))
        }
    }

    @Test("HEAD answers like GET, without a body")
    func head() async throws {
        try await RunningService.with(hasModel: false) { service in
            let told = ["content-type", "content-length", "etag", "vary", "link", "cache-control", "content-encoding"]
            // The form to post differs each time, the stream never ends, and the count of items is omitted on a busy
            // machine.
            for (path, methods) in Self.paths(service)
            where methods.contains("GET") && path != "/post" && !path.hasSuffix("/stream") && !path.hasSuffix("/items")
            {
                // The compressed length depends on the times in the body.
                let plain = ["Accept-Encoding": "identity"]
                let get = try await service.send("GET", path, headers: plain)
                let head = try await service.send("HEAD", path, headers: plain)
                #expect(head.status == get.status && head.body.isEmpty, "\(path)")
                for name in told { #expect(head.headers[name] == get.headers[name], "\(path) \(name)") }
            }
            let export = try await service.exchange("HEAD /v1/listings.csv HTTP/1.1\r\nHost: x\r\n\r\n").lowercased()
            #expect(!export.contains("content-length") && export.contains("connection: close"))
            // If the refusal had a body, the client would take it for the next answer.
            let two = try await service.exchange(
                "HEAD /nowhere HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            )
            #expect(!two.contains("Page not found") && two.contains("\"ok\""))
        }
    }

    @Test("Other sites can read everything except answers to cookies, and the important headers")
    func crossOrigin() async throws {
        try await RunningService.with(hasModel: false) { service in
            for path in ["/v1/listings", "/nowhere", "/v1/me", "/tiles/pois/0/0/0.pbf", "/nominatim/status", "/board"] {
                let answer = try await service.send("GET", path, headers: ["Origin": "https://app.example"])
                #expect(answer.headers["access-control-allow-origin"] == "*", "\(path)")
                #expect(answer.headers["access-control-allow-credentials"] == nil)
                let exposed = Self.names(answer.headers["access-control-expose-headers"])
                #expect(
                    exposed.isSuperset(
                        of: [
                            "ETag", "Link", "Location", "Retry-After", "RateLimit", "RateLimit-Policy",
                            "X-Request-Id", "Content-Disposition",
                        ]
                    )
                )
            }
        }
    }

    @Test("Encoded slashes do not separate segments, dots are names, and empty segments are ignored")
    func paths() async throws {
        try await RunningService.with(hasModel: false) { service in
            for path in [
                "/v1/listings%2Fcount", "/v1%2Flistings", "/v1/./listings", "/v1/x/../listings",
                "/v1/%2e%2e/v1/listings",
                "/V1/listings",
            ] {
                #expect(try await service.status(path) == 404, "\(path)")
            }
            for path in ["//v1/listings?limit=2", "/v1//listings/?limit=2", "/v1/listings///?limit=2"] {
                let answer = try await service.exchange("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(answer.contains("<https://dogs.example.org/v1/listings?limit=2>; rel=\"self\""), "\(path)")
            }
            // Proxies receive the absolute form.
            let whole = try await service.exchange(
                "GET http://other.example/v1/listings?limit=2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            )
            #expect(whole.contains("<https://dogs.example.org/v1/listings?limit=2>; rel=\"self\""))
        }
    }

    @Test("A malformed address is answered with a problem document")
    func unreadable() async throws {
        try await RunningService.with(hasModel: false) { service in
            for (path, status) in [
                ("/v1/listings?q=%zz", 400), ("/v1/listings?q=%f", 400), ("/v1/listings?q=%ff", 400),
                ("/v1/listings?q=%00", 400), ("/v1/listings/%00", 400), ("/v1/listings/%C3", 400),
                ("/board?q=%ff", 400),
                ("/nominatim/search?q=%e8", 400), ("/v1/listings?q=" + String(repeating: "a", count: 16 << 10), 414),
                ("/" + String(repeating: "a", count: 40 << 10), 431),
            ] {
                let answer = try await service.exchange("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path.prefix(40)) \(answer.prefix(40))")
                #expect(answer.contains("application/problem+json"), "\(path.prefix(40))")
            }
        }
    }

    @Test("A malformed request is answered with a problem document, and the connection is closed")
    func malformed() async throws {
        let chunked = "Transfer-Encoding: chunked"
        try await RunningService.with(hasModel: false) { service in
            for (line, headers, body, status) in [
                ("FOO /v1/listings", "", "", 501), ("get /v1/listings", "", "", 501),
                ("GET /healthz", "X-A: " + String(repeating: "a", count: 40 << 10), "", 431),
                ("GET /healthz", "Host: y", "", 400), ("GET /healthz", "X-A : b", "", 400),
                ("POST /v1/sessions", "Content-Length: 5\r\n\(chunked)", "0\r\n\r\n", 400),
                ("POST /v1/sessions", "Content-Length: 5\r\nContent-Length: 6", "abcdef", 400),
                ("POST /v1/sessions", "Content-Length: -1", "", 400),
                ("POST /v1/sessions", "Content-Length: +5", "abcde", 400),
                ("POST /v1/sessions", "\(chunked), identity", "0\r\n\r\n", 400),
            ] {
                let rest = headers.isEmpty ? "" : headers + "\r\n"
                let close = status == 400 && headers == "Host: y" ? "Connection: close\r\n" : ""
                let answer = try await service.exchange("\(line) HTTP/1.1\r\nHost: x\r\n\(close)\(rest)\r\n\(body)")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(line) \(headers.prefix(40)) \(answer.prefix(40))")
                #expect(answer.contains("application/problem+json") && answer.contains("\"detail\""))
                #expect(answer.components(separatedBy: "HTTP/1.1 ").count <= 3)
            }
        }
    }

    @Test("Vary lists the request headers on which the answer depends")
    func varies() async throws {
        try await RunningService.with(hasModel: false) { service in
            for (path, wanted) in [
                ("/", ["Accept", "Accept-Language", "Cookie"]), ("/nowhere", ["Accept", "Accept-Language"]),
                ("/board/x", ["Accept"]),
                ("/v1/listings", ["Authorization", "Cookie", "Accept-Language"]),
                ("/v1/listings/count", ["Accept-Language"]), ("/v1/listings.csv", ["Accept-Language"]),
                ("/v1/places?q=Roma", ["Accept-Language"]), ("/v1/places/reverse?lon=1&lat=45", ["Accept-Language"]),
                ("/v1/breeds", ["Accept-Language", "Accept-Encoding"]), ("/photon/api?q=Roma", ["Accept-Language"]),
                ("/nominatim/search?q=Roma", ["Accept-Language"]), ("/board", ["Accept-Language", "Cookie"]),
                ("/manifest.webmanifest", ["Accept-Language", "Cookie"]), ("/feeds/listings.atom", ["Accept-Language"]),
            ] {
                let answer = try await service.send("GET", path, headers: ["Accept": "text/html"])
                #expect(Self.names(answer.headers["vary"]).isSuperset(of: wanted), "\(path)")
            }
        }
    }
}

extension RunningService {
    fileprivate func status(_ path: String) async throws -> Int? {
        let answer = try await exchange("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
}

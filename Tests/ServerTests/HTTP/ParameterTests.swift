import Credentials
import Domain
import Foundation
import OpenAPI
import ServerSupport
import Testing

@testable import Server

@Suite("Parameters")
struct ParameterTests {
    private static let listing = #"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}"#

    @Test(
        "A list may be one value with commas, or the parameter repeated",
        arguments: [
            "/v1/listings?bbox=6&bbox=36&bbox=19&bbox=48", "/v1/listings?bbox=6,36&bbox=19,48",
            "/v1/listings?status=lost&status=found", "/v1/listings?status=lost,sighted&status=found",
            "/collections/listings/items?bbox=6&bbox=36&bbox=19&bbox=48",
            "/feeds/listings.atom?status=lost&status=found", "/v1/listings.geojson?status=lost&status=found",
            "/tiles/listings.json?status=lost&status=found",
        ]
    )
    func lists(path: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            _ = try await service.post(Self.listing, try await service.guest())
            let answer = try await service.send("GET", path)
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self).prefix(200))")
            let isList = path.hasPrefix("/v1/listings?") || path.hasPrefix("/collections")
            if isList { #expect(answer.features.count == 1) }
        }
    }

    @Test("Pages take both forms of a list, and the last of other repeated parameters")
    func pages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            var ids: [String: String] = [:]
            for status in ["lost", "found", "sighted"] {
                ids[status] = try await service.post(#"{"status": "\#(status)", "lon": 14.79, "lat": 40.77}"#, token)
            }
            for path in ["/board", "/embed"] {
                for (query, expected) in [
                    ("status=lost&status=found", ["lost", "found"]), ("status=&status=found", ["found"]),
                    ("status=lost&status=", ["lost"]), ("status=lost,sighted&status=found", Array(ids.keys)),
                    ("status=lost&species=cat&species=dog", ["lost"]),
                ] {
                    let answer = try await service.send("GET", "\(path)?\(query)")
                    let page = String(decoding: answer.body, as: UTF8.self)
                    let found = ids.filter { page.contains($0.value) }.map(\.key)
                    #expect(answer.status == 200 && Set(found) == Set(expected), "\(path)?\(query)")
                }
            }
        }
    }

    @Test("Both forms of a list find the same points of interest")
    func categories() async throws {
        try await RunningService.with(hasModel: false) { service in
            for path in ["/v1/pois?bbox=6,36,19,48", "/tiles/pois.json?x"] {
                let joined = try await service.send(
                    "GET",
                    path.replacing("?x", with: "?") + "&category=veterinary,dog_park"
                )
                let repeated = try await service.send(
                    "GET",
                    path.replacing("?x", with: "?") + "&category=veterinary&category=dog_park"
                )
                #expect(joined.status == 200 && repeated.status == 200, "\(path)")
            }
        }
    }

    @Test(
        "A parameter that is no list is refused if it is repeated",
        arguments: [
            ("/v1/listings?species=dog&species=dog", "species"), ("/v1/listings?limit=1&limit=2", "limit"),
            ("/v1/listings?lang=it&lang=en", "lang"), ("/v1/me/listings?cursor=a&cursor=b", "cursor"),
            ("/collections/listings/items?name=a&name=b", "name"), ("/collections?f=json&f=json", "f"),
        ]
    )
    func repeated(path: String, name: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.send("GET", path, token: try await service.guest())
            #expect(answer.status == 400 && answer.text("field") == name)
        }
    }

    @Test("An empty value is refused by every operation that checks its parameters")
    func emptyValues() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.admin()
            for operation in OpenAPI.Operation.all where operation.isStrict && operation.method == .get {
                for name in operation.names(of: .query) {
                    let path = operation.path.replacing(#/\{\w+\}/#, with: "1") + "?\(name)="
                    let answer = try await service.send("GET", path, token: token)
                    #expect(answer.status == 400 && answer.text("field") == name, "\(path)")
                }
            }
        }
    }

    @Test("Pages accept the empty fields of forms", arguments: ["/board", "/embed", "/map", "/"])
    func emptyFields(path: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            _ = try await service.post(Self.listing, try await service.guest())
            let query = "?place=&breed=&q=&species=&radius=&since=&until=&sort=&lon=&lat="
            let page = try await service.send("GET", path + query, headers: ["Accept": "text/html"])
            #expect(page.status == 200)
            if path != "/map" { #expect(String(decoding: page.body, as: UTF8.self).contains("Argo")) }
        }
    }

    @Test(
        "Numbers are decimal",
        arguments: [
            "0x10", "0x1p4", "inf", "-inf", "nan", "infinity", "%2B12", "%2012", "12%20", "1e", "--1", "1_0", "", ".",
        ]
    )
    func numbers(text: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            for (path, name) in [
                ("/v1/listings?lat=45&lon=\(text)", "lon"), ("/v1/listings?lat=45&lon=9&radius=\(text)", "radius"),
                ("/v1/listings?bbox=6,36,19,\(text)", "bbox"), ("/v1/listings?limit=\(text)", "limit"),
                ("/collections/listings/items?bbox=\(text),36,19,48", "bbox"),
                ("/collections/listings/items?limit=\(text)", "limit"),
                ("/v1/places/reverse?lat=45&lon=\(text)", "lon"),
            ] {
                // Parts of a list may have spaces around them.
                if name == "bbox", text.contains("%20") { continue }
                let answer = try await service.send("GET", path)
                #expect(answer.status == 400 && answer.text("field") == name, "\(path)")
            }
        }
    }

    @Test(
        "Usual forms of numbers are accepted",
        arguments: ["9", "-9", "9.25", "09", ".5", "9.", "1e1", "1.5E%2B1", "-0"]
    )
    func usualNumbers(text: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.send(
                "GET",
                "/v1/listings?lat=45&lon=\(text)&bbox=-20,%20-10,%2020%20,\(text)1"
            )
            #expect(answer.status == 200 || answer.text("field") == "bbox")
            #expect(try await service.send("GET", "/v1/listings?lat=45&lon=\(text)").status == 200)
        }
    }

    @Test("Encoded letters of a path mean the letters; an encoded slash does not separate")
    func encodedPaths() async throws {
        let metrics = MetricsSettings(token: Token("figures-0123456789"), version: "1")
        try await RunningService.with(hasModel: false, metrics: metrics) { service in
            let id = try await service.post(Self.listing, try await service.guest())
            for path in [
                "/v1/%6cistings", "/%76%31/l%69sting%73", "/v1/listings/%63ount", "/v1/listings/\(id.encoded)",
            ] {
                #expect(try await service.send("GET", path).status == 200, "\(path)")
            }
            for path in [
                "/v1%2Flistings", "/v1%2flistings", "/assets/x/%2e%2e%2fapp.js", "/assets/x/..%2F..%2Fetc%2Fpasswd",
            ] {
                #expect(try await service.send("GET", path).status == 404, "\(path)")
            }
            let links = try await service.send("GET", "/v1/%6cistings?limit=1").text("links", "0", "href")
            #expect(links?.contains("/v1/listings?") == true)
            let figures = try await service.send("GET", "/metrics", token: "figures-0123456789")
            #expect(String(decoding: figures.body, as: UTF8.self).contains(#"route="/v1/listings/count""#))
        }
    }
}

extension String {
    /// The text with every character percent-encoded.
    fileprivate var encoded: String { utf8.map { "%" + String($0, radix: 16) }.joined() }
}

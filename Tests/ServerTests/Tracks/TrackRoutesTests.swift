import Concurrency
import Domain
import Foundation
import HTTP
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Track routes")
struct TrackRoutesTests {
    private static let home = (lon: 14.793211, lat: 40.771934)
    private static let seen = Timestamp(Date(timeIntervalSinceNow: -86_400))

    private static let listing = """
        {"status": "lost", "name": "Argo", "lon": \(home.lon), "lat": \(home.lat), "last_seen_at": "\(seen.text)"}
        """

    /// A walk of 1.7 km to the east, a point each 17 m and 10 s.
    private static let gpx: String = {
        let points = (0..<100).map { index in
            let time = seen.adding(seconds: Double(3600 + 10 * index)).text
            return #"<trkpt lat="40.771934" lon="\#(14.793211 + Double(index) * 0.0002)"><time>\#(time)</time></trkpt>"#
        }
        return "<gpx><trk><name>Squadra A</name><trkseg>\(points.joined())</trkseg></trk></gpx>"
    }()

    private static func put(
        _ service: RunningService,
        _ path: String,
        _ token: String?,
        _ body: String = gpx,
        query: String = "?kind=search_party",
        headers: [String: String] = [:]
    ) async throws -> RunningService.Answer {
        let type = headers.merging(["Content-Type": "application/gpx+xml"]) { own, _ in own }
        return try await service.send("PUT", path + query, bytes: Data(body.utf8), token, type)
    }

    private static func open(
        _ service: RunningService,
        _ path: String,
        _ token: String,
        device: String = "Collar"
    ) async throws -> RunningService.Answer {
        try await service.send("PUT", path, #"{"kind": "collar", "device": "\#(device)"}"#, token: token)
    }

    private static func points(_ seconds: [Int]) -> String {
        let points = seconds.map { second in
            let time = seen.adding(seconds: Double(second)).text
            return #"{"time": "\#(time)", "lon": \#(14.85 + Double(second) / 1e6), "lat": 40.79}"#
        }
        return #"{"points": [\#(points.joined(separator: ","))]}"#
    }

    @Test("A search party's track: the owner gets it exactly, others in cells and only if the owner shows it")
    func privacy() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            let path = "/v1/listings/\(id)/tracks/3"
            let made = try await Self.put(service, path, owner)
            #expect(made.status == 201 && made.headers["location"]?.hasSuffix(path) == true)
            #expect(made["properties", "name"] == .string("Squadra A") && made["properties", "points"] == .number(100))
            #expect(made["geometry", "coordinates", "0", "0"] == .number(Self.home.lon))
            let paths = ["/v1/listings/\(id)/tracks", "/v1/listings/\(id)/searched-area", "/listings/\(id)"]
            let strangers = [nil, try await service.guest(), try await service.admin("ada@example.org")]
            func told(_ token: String?) async throws -> String {
                var texts = ""
                for path in paths {
                    let headers = path.hasPrefix("/v1") ? [:] : ["Accept": "text/html"]
                    let answer = try await service.send("GET", path, token: token, headers: headers)
                    #expect(answer.status == 200, "\(path)")
                    texts += String(decoding: answer.body, as: UTF8.self)
                }
                return texts
            }
            for visibility in ["owner", "everyone"] {
                let change = #"{"visibility": "\#(visibility)"}"#
                #expect(try await service.send("PATCH", path, change, token: owner).status == 200)
                for stranger in strangers.prefix(2) {
                    let text = try await told(stranger)
                    #expect(!text.contains("14.7932") && !text.contains("40.7719"), "\(visibility)")
                    #expect(text.contains("Squadra A") == (visibility == "everyone"))
                }
                // Admins see the exact home, but no exact track.
                let list = try await service.send("GET", paths[0], token: strangers[2])
                #expect(!String(decoding: list.body, as: UTF8.self).contains("14.7932"))
            }
            let shown = try await service.send("GET", paths[0])
            #expect(shown["features", "0", "properties", "exact"] == .bool(false))
            #expect(shown["features", "0", "properties", "device"] == .null)
            let cell = try #require(Coordinate(lon: Self.home.lon, lat: Self.home.lat)).cellCentre
            #expect(shown["features", "0", "geometry", "coordinates", "0", "0"] == .number(cell.lon))
            #expect(shown.headers["vary"]?.contains("Authorization") == true)
            #expect(try await service.send("GET", paths[0], token: owner).headers["cache-control"] == "no-store")
            #expect(try await service.send("DELETE", path, token: owner).status == 204)
            #expect(try await service.send("GET", path, token: owner).status == 404)
        }
    }

    @Test("What search parties searched is a part of the circles")
    func searchedArea() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            let path = "/v1/listings/\(id)/searched-area"
            let before = try await service.send("GET", path, token: owner)
            #expect(before["geometry", "coordinates"] == .array([]))
            #expect(before["properties", "shares", "0", "searched"] == .number(0))
            _ = try await Self.put(service, "/v1/listings/\(id)/tracks/1", owner)
            let after = try await service.send("GET", path, token: owner)
            #expect(after["properties", "reach_m"] == .number(50) && after["properties", "exact"] == .bool(true))
            guard case .number(let half)? = after["properties", "shares", "0", "searched"],
                case .number(let all)? = after["properties", "shares", "2", "searched"]
            else { throw TestFailure("no shares") }
            #expect(half > all && all > 0 && half < 1)
            // A collar searches nothing.
            _ = try await Self.put(service, "/v1/listings/\(id)/tracks/1", owner, query: "?kind=collar")
            #expect(try await service.send("GET", path, token: owner)["geometry", "coordinates"] == .array([]))
        }
    }

    @Test("A device sends points with a token of its own, late and repeatedly, until the track is closed")
    func device() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            let path = "/v1/listings/\(id)/tracks/1"
            #expect(try await Self.open(service, path, owner).status == 201)
            #expect(try await Self.open(service, path, owner).status == 200)
            let busy = try await Self.open(service, "/v1/listings/\(id)/tracks/2", owner)
            #expect(busy.status == 409 && busy.text("detail")?.contains("open track 1") == true)
            let issued = try await service.send("POST", path + "/device-token", token: owner)
            let token = try #require(issued.text("token"))
            #expect(issued.status == 201 && issued.headers["cache-control"] == "no-store")
            let stored = try await service.board.database.read { db in
                try db.exists("SELECT 1 FROM track WHERE CAST(token_hash AS TEXT) LIKE ?", ["%\(token)%"])
            }
            #expect(!stored)
            let sent = try await service.send("POST", path + "/points", Self.points([300, 100]), token: token)
            #expect(sent.status == 200 && sent["added"] == .number(2) && sent["points"] == .number(2))
            let late = try await service.send("POST", path + "/points", Self.points([200, 100]), token: token)
            #expect(late["added"] == .number(1) && late["points"] == .number(3))
            let own = try await service.send("POST", path + "/points", Self.points([400]), token: owner)
            #expect(own["points"] == .number(4))
            // The token is good for nothing else.
            for other in [path, "/v1/me", "/v1/listings/\(id)/tracks"] {
                #expect(try await service.send("GET", other, token: token).status == 401, "\(other)")
            }
            for other in ["/v1/listings/\(id)/tracks/2/points", "/v1/listings/\(UUID())/tracks/1/points"] {
                #expect(try await service.send("POST", other, Self.points([1]), token: token).status == 401)
            }
            #expect(try await service.send("POST", path + "/points", Self.points([1])).status == 401)
            #expect(try await service.send("POST", path + "/points", Self.points([1]), token: "x").status == 401)
            _ = try await service.send("POST", path + "/device-token", token: owner)
            #expect(try await service.send("POST", path + "/points", Self.points([1]), token: token).status == 401)
            // The newest place of the collar restarts the owner's search area, and nobody else's.
            let area = "/v1/listings/\(id)/search-area"
            let ownArea = try await service.send("GET", area, token: owner)
            #expect(String(decoding: ownArea.body, as: UTF8.self).contains(#""around":"sighting""#))
            let theirs = try await service.send("GET", area)
            #expect(!String(decoding: theirs.body, as: UTF8.self).contains(#""around":"sighting""#))
            let closed = try await service.send("PATCH", path, #"{"closed": true}"#, token: owner)
            #expect(closed["properties", "open"] == .bool(false))
            #expect(try await service.send("POST", path + "/points", Self.points([1]), token: owner).status == 409)
            #expect(try await Self.open(service, "/v1/listings/\(id)/tracks/2", owner).status == 201)
        }
    }

    private static func list(_ points: String) -> String { #"{"points": [\#(points)]}"# }

    @Test(
        "Points that are not as expected are refused as a whole",
        arguments: [
            ("", 400), ("[]", 400), ("{}", 400), (#"{"points": {}}"#, 400), (list(""), 400), (list("1"), 400),
            (list(#"{"lon": 1, "lat": 2}"#), 400), (#"{"points": [], "x": 1}"#, 400),
            (list(#"{"time": "2026-01-01T00:00:00Z", "lon": 181, "lat": 2}"#), 400),
            (list(#"{"time": "2026-01-01T00:00:00Z", "lon": "1", "lat": 2}"#), 400),
            (list(#"{"time": "2026-01-01T00:00:00Z", "lon": 1, "lat": null}"#), 400),
            (list(#"{"time": "9999-01-01T00:00:00Z", "lon": 1, "lat": 2}"#), 400),
            (list(#"{"time": "soon", "lon": 1, "lat": 2}"#), 400),
            (list(#"{"time": "2026-01-01T00:00:00Z", "lon": 1, "lat": 2, "x": 1}"#), 400),
            (list(#"{"time": "2026-01-01T00:00:00Z", "lon": 1, "lat": 2}, {}"#), 400),
            (points(Array(0...500)), 400), (list(String(repeating: " ", count: 300_000)), 413),
        ] as [(String, Int)]
    )
    func invalidPoints(body: String, status: Int) async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let path = "/v1/listings/\(try await service.post(Self.listing, owner))/tracks/1"
            _ = try await Self.open(service, path, owner)
            #expect(try await service.send("POST", path + "/points", body, token: owner).status == status)
            #expect(try await service.send("GET", path, token: owner)["geometry"] == .null)
        }
    }

    @Test("Files, numbers and fields that are not as expected are refused")
    func invalid() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let listing = try await service.post(Self.listing, owner)
            let path = "/v1/listings/\(listing)/tracks/1"
            let entity =
                "<!DOCTYPE gpx [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><gpx><trk><name>&a;</name></trk></gpx>"
            for (body, query, status, words) in [
                (entity, "?kind=collar", 400, "document type"), ("", "?kind=collar", 400, "no readable GPX"),
                (Self.gpx, "", 400, "kind"), (Self.gpx, "?kind=dog", 400, "kind"),
                (Self.gpx, "?kind=collar&visibility=x", 400, "visibility"),
                (String(repeating: " ", count: TrackService.maxFileSize + 1), "?kind=collar", 413, "8 MiB"),
            ] {
                let answer = try await Self.put(service, path, owner, body, query: query)
                #expect(answer.status == status && answer.text("detail")?.contains(words) == true, "\(words)")
            }
            for number in ["0", "21", "x", "-1"] {
                let answer = try await Self.put(service, "/v1/listings/\(listing)/tracks/\(number)", owner)
                #expect(answer.status == 400)
            }
            let text = ["Content-Type": "text/plain"]
            #expect(try await Self.put(service, path, owner, headers: text).status == 415)
            for body in [#"{"kind": "collar"}"#, #"{"device": "a"}"#, #"{"kind": "collar", "device": "a", "x": 1}"#] {
                #expect(try await service.send("PUT", path, body, token: owner).status == 400, "\(body)")
            }
            #expect(try await service.send("GET", "/v1/listings/\(listing)/tracks", token: owner).features.isEmpty)
        }
    }

    @Test("Preconditions hold")
    func preconditions() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let path = "/v1/listings/\(try await service.post(Self.listing, owner))/tracks/1"
            let made = try await Self.put(service, path, owner, headers: ["If-None-Match": "*"])
            let tag = try #require(made.headers["etag"])
            #expect(made.status == 201)
            #expect(try await Self.put(service, path, owner, headers: ["If-None-Match": "*"]).status == 412)
            let again = try await service.send("GET", path, token: owner, headers: ["If-None-Match": tag])
            #expect(again.status == 304)
            let change = #"{"name": "B"}"#
            let changed = try await service.send("PATCH", path, change, token: owner, headers: ["If-Match": tag])
            #expect(changed.status == 200 && changed.headers["etag"] != tag)
            #expect(
                try await service.send("PATCH", path, change, token: owner, headers: ["If-Match": tag]).status == 412
            )
            #expect(try await Self.put(service, path, owner, headers: ["If-Match": tag]).status == 412)
            #expect(try await service.send("DELETE", path, token: owner, headers: ["If-Match": tag]).status == 412)
            let present = ["If-Match": changed.headers["etag"] ?? ""]
            #expect(try await service.send("DELETE", path, token: owner, headers: present).status == 204)
        }
    }

    @Test("The form uploads a file, shows what is wrong with it, and the buttons change the track")
    func pages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            func upload(_ file: String) async throws -> RunningService.Answer {
                let fields = ["kind": "search_party", "visibility": "owner", "name": "Squadra <B>"].map {
                    "--X\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n"
                }
                let body =
                    fields.joined() + "--X\r\nContent-Disposition: form-data; name=\"track\"; filename=\"a.gpx\"\r\n"
                    + "Content-Type: application/gpx+xml\r\n\r\n\(file)\r\n--X--\r\n"
                return try await service.send(
                    "POST",
                    "/listings/\(id)/tracks",
                    bytes: Data(body.utf8),
                    owner,
                    [
                        "Content-Type": "multipart/form-data; boundary=X", "Accept": "text/html",
                        "Accept-Language": "en", "Sec-Fetch-Site": "same-origin",
                    ],
                    isFollowing: false
                )
            }
            let refused = try await upload("<kml/>")
            let text = String(decoding: refused.body, as: UTF8.self)
            #expect(refused.status == 400 && text.contains("GPX file of at most") && text.contains("Squadra &lt;B&gt;"))
            let sent = try await upload(Self.gpx)
            #expect(sent.status == 303, "\(String(decoding: sent.body, as: UTF8.self))")
            let paused = Self.gpx.replacing("<trkseg>", with: "<trkseg><trkpt lat='100' lon='180'/>")
            let partly = try await upload(paused)
            #expect(partly.headers["location"]?.hasSuffix("done=track.added_partly") == true)
            let told = try await service.send(
                "GET",
                "/listings/\(id)?done=track.added_partly",
                token: owner,
                headers: ["Accept": "text/html", "Accept-Language": "en"]
            )
            #expect(told.html.contains("without the points"))
            let put = try await Self.put(service, "/v1/listings/\(id)/tracks/2", owner, paused, query: "?kind=collar")
            #expect(put["properties", "left_out"] == .number(1))
            #expect(try await service.send("DELETE", "/v1/listings/\(id)/tracks/2", token: owner).status == 204)
            let page = try await service.send("GET", "/listings/\(id)", token: owner, headers: ["Accept": "text/html"])
            let html = String(decoding: page.body, as: UTF8.self)
            #expect(html.contains("Squadra &lt;B&gt;") && html.contains("data-searched-area"))
            func press(_ action: String) async throws -> RunningService.Answer {
                try await service.send(
                    "POST",
                    "/listings/\(id)/tracks/1",
                    bytes: Data("action=\(action)".utf8),
                    owner,
                    [
                        "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html",
                        "Sec-Fetch-Site": "same-origin",
                    ],
                    isFollowing: false
                )
            }
            #expect(try await press("everyone").status == 303)
            let path = "/v1/listings/\(id)/tracks"
            #expect(try await service.send("GET", path).features.count == 1)
            #expect(try await press("owner").status == 303)
            #expect(try await service.send("GET", path).features.isEmpty)
            #expect(try await press("boil").status == 400)
            #expect(try await press("delete").status == 303)
            #expect(try await service.send("GET", path, token: owner).features.isEmpty)
        }
    }

    @Test("A device that sends too often is told when to come back")
    func rate() async throws {
        let limits = TrackLimits(.standard, LocalLimitCounters())
        let listing = UUID()
        for _ in 0..<120 { try await limits.takePoints(of: 1, listing: listing) }
        await #expect(throws: RateLimitExceededError.self) { try await limits.takePoints(of: 1, listing: listing) }
        try await limits.takePoints(of: 2, listing: listing)
    }
}

import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Alert routes")
struct AlertRoutesTests {
    private static let search = #"{"status": ["lost", "sighted"], "lon": 14.79, "lat": 40.77, "radius": 10000}"#

    private static func create(_ service: RunningService, _ search: String, _ token: String) async throws -> String {
        let answer = try await service.send("POST", "/v1/me/alerts", #"{"search": \#(search)}"#, token: token)
        #expect(answer.status == 201)
        return try #require(answer.text("id"))
    }

    /// Returns the listings that an alert has found, waiting for as many.
    private static func listings(
        _ service: RunningService,
        _ alert: String,
        _ token: String,
        count: Int
    ) async throws -> [String] {
        try await eventually("\(count) listings") {
            let answer = try await service.send("GET", "/v1/me/alerts/\(alert)/listings", token: token)
            guard case .array(let found) = answer["listings"], found.count >= count else { return nil }
            return found.indices.compactMap { answer.text("listings", "\($0)", "id") }
        }
    }

    @Test("An alert is created, read, changed and deleted by its owner alone")
    func lifeCycle() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, other) = (try await service.guest(), try await service.guest())
            let body = #"{"name": "Casa", "search": \#(Self.search)}"#
            let created = try await service.send("POST", "/v1/me/alerts", body, token: owner)
            #expect(created.status == 201 && created.text("name") == "Casa")
            #expect(created.text("search", "status") == "lost,sighted" && created["paused"] == .bool(false))
            let path = "/v1/me/alerts/\(try #require(created.text("id")))"
            #expect(created.headers["location"]?.hasSuffix(path) == true)
            #expect(try await service.send("GET", path, token: other).status == 404)
            #expect(try await service.send("DELETE", path, token: other).status == 404)
            #expect(try await service.send("GET", path + "/listings", token: other).status == 404)
            let tag = try #require(created.headers["etag"])
            let changed = try await service.send("PATCH", path, #"{"paused": true}"#, token: owner)
            #expect(changed["paused"] == .bool(true) && changed.text("name") == "Casa")
            let late = try await service.send(
                "PATCH",
                path,
                #"{"name": null}"#,
                token: owner,
                headers: ["If-Match": tag]
            )
            #expect(late.status == 412)
            let list = try await service.send("GET", "/v1/me/alerts", token: owner)
            #expect(list.text("alerts", "0", "id") == created.text("id"))
            #expect(try await service.send("DELETE", path, token: owner).status == 204)
            #expect(try await service.send("GET", path, token: owner).status == 404)
        }
    }

    @Test("The owner of a listing sees how many people with alerts it has reached, each once, and nobody else does")
    func readers() async throws {
        try await RunningService.with(hasModel: false) { service in
            func page(_ path: String, _ token: String) async throws -> String {
                let headers = ["Accept": "text/html", "Accept-Language": "en", "Cookie": "__Host-doggofinder=\(token)"]
                return try await service.send("GET", path, headers: headers).html
            }
            let (owner, reader) = (try await service.guest(), try await service.guest())
            let alerts = [
                try await Self.create(service, Self.search, reader),
                try await Self.create(service, #"{"status": "lost", "place": "Fisciano"}"#, reader),
            ]
            _ = try await Self.create(service, Self.search, owner)
            let listing = #"{"status": "lost", "species": "dog", "name": "Argo", "lon": 14.7912, "lat": 40.7723}"#
            let id = try await service.post(listing, owner)
            for alert in alerts { _ = try await Self.listings(service, alert, reader, count: 1) }
            let own = try await page("/listings/\(id)", owner)
            #expect(own.contains("Your listing is in the alerts of one person who follows this area."))
            #expect(try await !page("/listings/\(id)", reader).contains("in the alerts of"))
        }
    }

    @Test("Alerts find what is posted later, by area, place, breed, species and words")
    func findings() async throws {
        try await RunningService.with(hasModel: false) { service in
            let reader = try await service.guest()
            let circle = try await Self.create(service, Self.search, reader)
            let province = try await Self.create(
                service,
                #"{"place": "Salerno", "breed": "beagle", "lang": "it"}"#,
                reader
            )
            let town = try await Self.create(service, #"{"place": "Fisciano (SA)", "q": "collare"}"#, reader)
            let cats = try await Self.create(service, #"{"bbox": "14,40,15,41", "species": "cat"}"#, reader)
            // The point is in the box around both triangles, and in the second one.
            let (beside, around) = (
                try await Self.create(
                    service,
                    #"{"polygon": [[14.7, 40.7], [14.7, 40.9], [14.88, 40.9], [14.7, 40.7]], "species": "cat"}"#,
                    reader
                ),
                try await Self.create(
                    service,
                    #"{"polygon": [[14.7, 40.7], [14.9, 40.7], [14.88, 40.9]], "species": "cat"}"#,
                    reader
                )
            )
            let poster = try await service.guest()
            func post(_ fields: String) async throws -> String {
                try await service.post(#"{"lon": 14.79, "lat": 40.77, \#(fields)}"#, poster)
            }
            let beagle = try await post(#""status": "lost", "breed": "Beagle", "collar": "collare rosso""#)
            let cat = try await post(#""status": "found", "species": "cat""#)
            let boxer = try await post(#""status": "sighted", "breed": "Boxer""#)
            #expect(try await Self.listings(service, circle, reader, count: 2) == [boxer, beagle])
            #expect(try await Self.listings(service, province, reader, count: 1) == [beagle])
            #expect(try await Self.listings(service, town, reader, count: 1) == [beagle])
            #expect(try await Self.listings(service, cats, reader, count: 1) == [cat])
            #expect(try await Self.listings(service, around, reader, count: 1) == [cat])
            #expect(try await Self.listings(service, beside, reader, count: 0) == [])
            let page = try await service.send("GET", "/v1/me/alerts/\(circle)/listings?limit=1", token: reader)
            #expect(page.text("listings", "0", "id") == boxer && page.text("links", "1", "rel") == "next")
            let next = try #require(page.text("links", "1", "href").flatMap(URL.init)?.query())
            let rest = try await service.send("GET", "/v1/me/alerts/\(circle)/listings?\(next)", token: reader)
            #expect(rest.text("listings", "0", "id") == beagle && rest.text("links", "1", "rel") == nil)
        }
    }

    @Test(
        "Searches that are not as expected are refused, and the field is named",
        arguments: [
            ("{}", "search"), (#"{"search": 1}"#, "search"), (#"{"search": {}}"#, "search"),
            (#"{"search": {"species": "dog"}}"#, "search"), (#"{"search": {"lon": 14, "lat": 40}}"#, "search"),
            (#"{"search": {"lon": 14, "lat": 400, "radius": 1000}}"#, "lat"),
            (#"{"search": {"lon": 14, "lat": 40, "radius": -1}}"#, "radius"),
            (#"{"search": {"place": "Xyzzyplugh"}}"#, "place"),
            (#"{"search": {"place": "Roma", "status": "reunited"}}"#, "status"),
            (#"{"search": {"place": "Roma", "status": {}}}"#, "status"),
            (#"{"search": {"place": "Roma", "breed": "?"}}"#, "breed"),
            (#"{"search": {"place": "Roma", "since": "2026-01-01"}}"#, "since"),
            (#"{"search": {"polygon": [[14, 40], [15, 40]]}}"#, "polygon"),
            (#"{"search": {"polygon": [[14, 40], [15, 40], [16, 40]]}}"#, "polygon"),
            (#"{"search": {"polygon": [[14, 40], [15, 400], [16, 41]]}}"#, "polygon"),
            (#"{"search": {"polygon": "14,40,15,41,x,y"}}"#, "polygon"),
            (#"{"search": {"bbox": "1,2,3"}}"#, "bbox"), (#"{"search": {"place": "Roma"}, "name": 1}"#, "name"),
            (#"{"search": {"place": "Roma"}, "x": 1}"#, "x"),
        ]
    )
    func invalid(body: String, field: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.send("POST", "/v1/me/alerts", body, token: try await service.guest())
            #expect(answer.status == 400 && answer.text("field") == field, "\(answer.html)")
        }
    }
}

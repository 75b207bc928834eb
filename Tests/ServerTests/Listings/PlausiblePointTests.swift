import Domain
import Foundation
import ServerSupport
import Testing

@Suite("Points on the open sea, and points with longitude and latitude exchanged")
struct PlausiblePointTests {
    private static let fisciano = #""lon": 14.79, "lat": 40.77"#
    private static let exchanged = #""lon": 40.77, "lat": 14.79"#
    private static let sea = #""lon": 12.0, "lat": 39.5"#

    private func onSite(_ body: (RunningService) async throws -> Void) async throws {
        var site = SiteSettings()
        site.mapArea = try BoundingBox(parsing: "6.6,36.6,18.6,47.1")
        try await RunningService.with(hasModel: false, site: site, body)
    }

    /// Sends a point on every way in of the API. Returns the answers.
    private func send(_ point: String, to service: RunningService) async throws -> [RunningService.Answer] {
        let (owner, other) = (try await service.register("anna@example.org"), try await service.guest())
        let listing = try await service.post(#"{"status": "lost", \#(Self.fisciano)}"#, owner)
        let organisation = try await service.send("POST", "/v1/organisations", #"{"name": "Rifugio"}"#, token: owner)
        let requests = [
            ("POST", "/v1/listings", #"{"status": "found", \#(point)}"#, other),
            ("PATCH", "/v1/listings/\(listing)", "{\(point)}", owner),
            ("POST", "/v1/listings/\(listing)/sightings", "{\(point)}", other),
            ("POST", "/v1/listings/\(listing)/messages", #"{"text": "Seen here", \#(point)}"#, other),
            ("PATCH", "/v1/organisations/\(try organisation.created("id"))", "{\(point)}", owner),
        ]
        var answers: [RunningService.Answer] = []
        for (method, path, body, token) in requests {
            answers.append(try await service.send(method, path, body, token: token))
        }
        return answers
    }

    private func submit(
        _ fields: String,
        to service: RunningService,
        path: String = "/post"
    ) async throws -> RunningService.Answer {
        try await service.send(
            "POST",
            path,
            bytes: Data(fields.utf8),
            nil,
            [
                "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html",
                "Sec-Fetch-Site": "same-origin", "Accept-Language": "it",
            ]
        )
    }

    private func accounts(of service: RunningService) async throws -> Int? {
        try await service.board.database.read { try $0.value("SELECT count(*) FROM account") as Int? }
    }

    /// Imports one row. Returns its report.
    private func importRow(_ columns: String, _ row: String, to service: RunningService) async throws -> JSONValue? {
        let token = try await service.register("canile@example.org")
        let answer = try await service.upload("status,\(columns)\nfound,\(row)\n", token)
        let ended = try await service.ended(answer, token)
        let rows = try await service.send("GET", "/v1/imports/\(ended.text("id") ?? "")/rows", token: token)
        return rows["rows", "0"]
    }

    @Test("A point on the open sea is refused on every way in of the API")
    func sea() async throws {
        try await RunningService.with(hasModel: false) { service in
            for answer in try await send(Self.sea, to: service) {
                #expect(answer.status == 400 && answer.text("field") == "lon", "\(answer.html)")
                #expect(answer.text("detail")?.contains("in the sea, more than 20 km from land") == true)
                #expect(answer["candidates"] == nil)
            }
        }
    }

    @Test(
        "Points on land are accepted on every way in of the API",
        arguments: [
            #""lon": 14.79, "lat": 40.77"#, #""lon": 40.77, "lat": 14.79"#,
        ])
    func land(point: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            for answer in try await send(point, to: service) {
                #expect([200, 201].contains(answer.status), "\(answer.html)")
            }
        }
    }

    @Test("The confirmation of a point does not move the sea")
    func confirmedSea() async throws {
        try await RunningService.with(hasModel: false) { service in
            for answer in try await send(Self.sea + #", "point_confirmed": true"#, to: service) {
                #expect(answer.status == 400 && answer.text("field") == "lon", "\(answer.html)")
            }
        }
    }

    @Test("The error of a point on the sea has the exchanged one, if that is in a town")
    func hint() async throws {
        try await RunningService.with(hasModel: false) { service in
            let body = #"{"status": "lost", "lon": 48.86, "lat": 2.35}"#
            let answer = try await service.send("POST", "/v1/listings", body, token: service.guest())
            #expect(answer.status == 400 && answer["candidates"] == nil, "\(answer.html)")
            #expect(
                answer.text("detail")?.contains("may be exchanged: did you mean lon 2.35, lat 48.86 in Paris") == true)
        }
        try await onSite { service in
            // The exchanged point is Palermo.
            let fields = "status=lost&species=dog&name=Argo&lon=38.12&lat=13.36"
            let question = try await submit("status=lost&species=dog&name=Argo&lon=40.0&lat=-30.0", to: service)
            #expect(question.html.contains("in mare aperto") && !question.html.contains("point_choice"))
            #expect(try await submit(fields, to: service).html.contains(#"value="13.36,38.12"> Palermo (PA)"#))
        }
    }

    @Test("A row of an import with a point on the open sea is rejected")
    func seaInImport() async throws {
        try await RunningService.with(hasModel: false) { service in
            let row = try await importRow("lon,lat", "12.0,39.5", to: service)
            #expect(row?["outcome"] == "rejected" && row?["field"] == "lon")
        }
    }

    @Test("The forms say in Italian that a point is on the sea, and a refused one makes no account")
    func seaInForms() async throws {
        try await RunningService.with(hasModel: false) { service in
            let listing = try await service.post(#"{"status": "lost", \#(Self.fisciano)}"#, service.guest())
            let count = try await accounts(of: service)
            for (path, fields) in [
                ("/post", "status=lost&species=dog"), ("/listings/\(listing)/sighting", "text=Visto"),
                ("/listings/\(listing)/write", "text=Visto"),
            ] {
                let answer = try await submit("\(fields)&lon=12.0&lat=39.5", to: service, path: path)
                #expect(answer.status == 400 && answer.html.contains("in mare aperto, a più di 20 km"), "\(path)")
            }
            #expect(try await accounts(of: service) == count)
        }
    }

    @Test("On a site with an area, the exchanged point is refused with the right one on every way in of the API")
    func exchanged() async throws {
        try await onSite { service in
            for answer in try await send(Self.exchanged, to: service) {
                #expect(answer.status == 400 && answer.text("field") == "lon", "\(answer.html)")
                #expect(answer["candidates", "0", "lon"] == 14.79 && answer["candidates", "0", "lat"] == 40.77)
                #expect(answer.text("candidates", "0", "place") == "Fisciano (SA)")
                #expect(answer["candidates", "1", "lon"] == 40.77)
            }
        }
    }

    @Test("A client can insist on the point, and later edits do not ask again")
    func confirmed() async throws {
        try await onSite { service in
            for answer in try await send(Self.exchanged + #", "point_confirmed": true"#, to: service) {
                #expect([200, 201].contains(answer.status), "\(answer.html)")
            }
            let token = try await service.guest()
            let id = try await service.post(
                #"{"status": "lost", \#(Self.exchanged), "point_confirmed": true}"#,
                token
            )
            for body in [#"{"name": "Argo"}"#, "{\(Self.exchanged)}", #"{"location_precision": "exact"}"#] {
                let edited = try await service.send("PATCH", "/v1/listings/\(id)", body, token: token)
                #expect(edited.status == 200, "\(edited.html)")
            }
            let wrong = #"{"status": "lost", \#(Self.exchanged), "point_confirmed": 1}"#
            let answer = try await service.send("POST", "/v1/listings", wrong, token: token)
            #expect(answer.status == 400 && answer.text("field") == "point_confirmed")
        }
    }

    @Test(
        "Points outside of the site's area that do not lie inside if exchanged are accepted",
        arguments: [
            #""lon": 2.35, "lat": 48.86"#, #""lon": -70.66, "lat": -33.45"#,
        ])
    func elsewhere(point: String) async throws {
        try await onSite { service in
            for answer in try await send(point, to: service) {
                #expect([200, 201].contains(answer.status), "\(answer.html)")
            }
        }
    }

    @Test("An import refuses an exchanged point unless the row confirms it")
    func exchangedInImport() async throws {
        try await onSite { service in
            let row = try await importRow("lon,lat", "40.77,14.79", to: service)
            #expect(row?["outcome"] == "rejected" && row?["field"] == "lon")
            #expect("\(row ?? .null)".contains("lon 14.79, lat 40.77 in Fisciano (SA)"))
        }
        try await onSite { service in
            let row = try await importRow("lon,lat,point_confirmed", "40.77,14.79,yes", to: service)
            #expect(row?["outcome"] == "created", "\(row ?? .null)")
        }
    }

    @Test(
        "The form asks for the right one of two points, and each choice posts the listing there",
        arguments: [
            ("14.79,40.77", "Fisciano"), ("40.77,14.79", nil),
        ])
    func form(choice: String, place: String?) async throws {
        try await onSite { service in
            let fields = "status=lost&species=dog&name=Argo&lon=40.77&lat=14.79"
            let question = try await submit(fields, to: service)
            #expect(question.status == 400 && question.html.contains("invertite"))
            #expect(question.html.contains(#"name="point_choice" value="14.79,40.77"> Fisciano (SA)"#))
            #expect(question.html.contains(#"name="point_choice" value="40.77,14.79""#))
            let chosen = choice.replacing(",", with: "%2C")
            #expect(try await submit("\(fields)&point_choice=\(chosen)", to: service).status == 200)
            let listing = try #require(try await service.send("GET", "/v1/listings?q=argo").features.first)
            #expect((listing["properties"]?["place"] == "Fisciano") == (place != nil), "\(listing)")
        }
    }

    @Test("The form of a sighting asks, too")
    func sightingForm() async throws {
        try await onSite { service in
            let listing = try await service.post(#"{"status": "lost", \#(Self.fisciano)}"#, service.guest())
            let path = "/listings/\(listing)/sighting"
            let question = try await submit("lon=40.77&lat=14.79", to: service, path: path)
            #expect(question.html.contains(#"name="point_choice" value="14.79,40.77"> Fisciano (SA)"#))
            let sent = try await submit("lon=40.77&lat=14.79&point_choice=14.79%2C40.77", to: service, path: path)
            #expect(sent.status == 200, "\(sent.html)")
        }
    }
}

import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@Suite("Match routes")
struct MatchRoutesTests {
    private static func listing(_ status: String, lon: Double = 14.79, breed: String = "Beagle") -> String {
        """
        {"status": "\(status)", "lon": \(lon), "lat": 40.77, "breed": "\(breed)", "colour": "tricolore", "sex": "male",
         "microchip": "380260000000001", "secret_mark": "scar", "contact_phone": "089 1234567"}
        """
    }

    private static func post(
        _ service: RunningService,
        _ body: String
    ) async throws -> (token: String, id: String) {
        let token = try await service.guest()
        return (token, try await service.post(body, token))
    }

    @Test("Everybody reads the matches of a listing with reasons in their language, and owners the answers")
    func list() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, lost) = try await Self.post(service, Self.listing("lost"))
            let (_, found) = try await Self.post(service, Self.listing("found", lon: 14.795))
            let path = "/v1/listings/\(lost)/matches"
            let answer = try await service.send("GET", path, headers: ["Accept-Language": "it"])
            #expect(answer.status == 200 && answer.headers["content-language"] == "it")
            #expect(answer.text("matches", "0", "listing", "id") == found)
            #expect(answer.html.contains("La razza corrisponde") && answer.html.contains("\"speaks\":\"for\""))
            #expect(!answer.html.contains("380260") && !answer.html.contains("scar") && !answer.html.contains("089"))
            #expect(!answer.html.contains("other_answer"))
            let own = try await service.send("GET", path, token: owner)
            #expect(own.html.contains("\"other_answer\":null") && own.headers["cache-control"] == "no-store")
            let tag = try #require(answer.headers["etag"])
            let again = ["Accept-Language": "it", "If-None-Match": tag]
            #expect(try await service.send("GET", path, headers: again).status == 304)
            for (query, field) in [
                ("minimum_probability=2", "minimum_probability"), ("minimum_probability=x", "minimum_probability"),
                ("limit=0", "limit"), ("cursor=x", "cursor"),
            ] {
                let refused = try await service.send("GET", "\(path)?\(query)")
                #expect(refused.status == 400 && refused.text("field") == field)
            }
            #expect(try await service.send("GET", "\(path)?minimum_probability=0.999").features.isEmpty)
        }
    }

    @Test("The next link continues the list")
    func pages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (_, lost) = try await Self.post(service, Self.listing("lost"))
            for number in 1...3 {
                _ = try await Self.post(service, Self.listing("found", lon: 14.79 + Double(number) / 100))
            }
            let first = try await service.send("GET", "/v1/listings/\(lost)/matches?limit=2")
            let next = try #require(first.text("links", "1", "href"))
            let second = try await service.send(
                "GET",
                String(try #require(URL(string: next)).path + "?" + (URL(string: next)?.query ?? ""))
            )
            #expect(second.status == 200 && second.text("matches", "0", "listing", "id") != nil)
            #expect(second.text("matches", "1", "listing", "id") == nil)
        }
    }

    @Test(
        "Owners answer; both listings stay open until one says home; each can write until then; both may take it back")
    func answers() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, lost) = try await Self.post(service, Self.listing("lost"))
            let (finder, found) = try await Self.post(service, Self.listing("found"))
            let mine = "/v1/listings/\(lost)/matches/\(found)"
            let theirs = "/v1/listings/\(found)/matches/\(lost)"
            let yes = #"{"answer": "yes"}"#
            #expect(try await service.send("PUT", mine, yes, token: finder).status == 403)
            #expect(
                try await service.send("PUT", mine, #"{"answer": "maybe"}"#, token: owner).text("field") == "answer"
            )
            #expect(try await service.send("PUT", mine, "{}", token: owner).text("field") == "answer")
            #expect(try await service.send("PUT", mine, #"{"answer": "yes", "x": 1}"#, token: owner).status == 400)
            #expect(try await service.send("PUT", mine, yes, token: owner).text("answer") == "yes")
            #expect(try await service.send("PUT", theirs + "/home", token: finder).status == 409)
            #expect(try await service.send("GET", theirs, token: finder).text("state") == "asked")
            let agreed = try await service.send("PUT", theirs, yes, token: finder)
            #expect(agreed.text("other_answer") == "yes" && agreed.text("state") == "agreed")
            #expect(agreed.text("linked_at") == nil)
            func statuses() async throws -> [String?] {
                var statuses: [String?] = []
                for id in [lost, found] {
                    statuses.append(try await service.send("GET", "/v1/listings/\(id)").text("properties", "status"))
                }
                return statuses
            }
            #expect(try await statuses() == ["lost", "found"])
            let text = #"{"text": "Where do we meet?", "mark": "scar"}"#
            for (writer, other) in [(owner, found), (finder, lost)] {
                #expect(
                    try await service.send("POST", "/v1/listings/\(other)/messages", text, token: writer).status == 201)
            }
            let stranger = try await service.guest()
            for method in ["PUT", "DELETE"] {
                #expect(try await service.send(method, theirs + "/home", token: stranger).status == 403)
            }
            #expect(try await service.send("PUT", theirs + "/home", token: finder).text("state") == "home")
            #expect(try await statuses() == ["reunited", "reunited"])
            #expect(
                try await service.send("POST", "/v1/listings/\(lost)/messages", text, token: stranger).status == 409)
            #expect(try await service.send("DELETE", mine + "/home", token: owner).text("state") == "agreed")
            #expect(try await statuses() == ["lost", "found"])
            let changed = try await service.send(
                "PATCH", "/v1/listings/\(lost)", #"{"status": "reunited"}"#, token: owner, headers: ["If-Match": "*"])
            #expect(changed.status == 200)
            #expect(try await statuses() == ["reunited", "reunited"])
            #expect(try await service.send("DELETE", theirs, token: finder).text("state") == "asked")
            #expect(try await statuses() == ["lost", "found"])
            let export = try await service.send("GET", "/v1/me/export", token: owner)
            #expect(export.status == 200)
        }
    }

    @Test("Moving and editing one's own listing tells no more of another one than its public cell")
    func trilateration() async throws {
        try await RunningService.with(hasModel: false) { service in
            // Two listings in one public cell, at different exact points.
            let exact = try #require(Coordinate(lon: 14.7912, lat: 40.7712))
            let centre = exact.cellCentre
            func matches(at point: Coordinate, from lon: Double) async throws -> (String?, String?) {
                let body = """
                    {"status": "found", "lon": \(point.lon), "lat": \(point.lat), "breed": "Beagle"}
                    """
                let (finder, found) = try await Self.post(service, body)
                let (own, lost) = try await Self.post(
                    service,
                    """
                    {"status": "lost", "lon": \(lon), "lat": 40.77, "breed": "Beagle", "location_precision": "exact"}
                    """
                )
                let answer = try await service.send("GET", "/v1/listings/\(lost)/matches", token: own)
                let told = (answer.text("matches", "0", "distance_m"), answer.text("matches", "0", "score_bits"))
                try await service.send("DELETE", "/v1/listings/\(found)", token: finder, headers: ["If-Match": "*"])
                try await service.send("DELETE", "/v1/listings/\(lost)", token: own, headers: ["If-Match": "*"])
                return told
            }
            for lon in [14.78, 14.7905, 14.7912, 14.8] {
                #expect(try await matches(at: exact, from: lon) == matches(at: centre, from: lon))
            }
        }
    }
}

@Suite("Match pages")
struct MatchPagesTests {
    @Test("The owner sees the likeliest matches on the listing and answers them without scripts")
    func story() async throws {
        try await RunningService.with(hasModel: false) { service in
            let body = { (status: String) in
                #"{"status": "\#(status)", "lon": 14.79, "lat": 40.77, "breed": "Beagle", "name": "Argo"}"#
            }
            let (owner, finder) = (try await service.guest(), try await service.guest())
            let lost = try await service.post(body("lost"), owner)
            let found = try await service.post(body("found"), finder)
            func page(_ path: String, _ token: String?) async throws -> String {
                try await service.send("GET", path, token: token, headers: ["Accept": "text/html"]).html
            }
            func answer(
                _ path: String,
                _ token: String,
                _ body: String = "answer=yes"
            ) async throws -> RunningService.Answer {
                let form = ["Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"]
                return try await service.send(
                    "POST",
                    path,
                    bytes: Data(body.utf8),
                    token,
                    form,
                    isFollowing: false
                )
            }
            let own = try await page("/listings/\(lost)", owner)
            #expect(own.contains("Possible matches") && own.contains("The breed fits"))
            #expect(own.contains("action=\"/listings/\(lost)/matches/\(found)\""))
            #expect(try await page("/listings/\(lost)", finder).contains("Possible matches") == false)
            let all = try await page("/listings/\(lost)/matches", nil)
            #expect(all.contains("Possible matches") && !all.contains("name=\"answer\""))
            let first = try await answer("/listings/\(lost)/matches/\(found)", owner)
            #expect(first.status == 303 && first.headers["location"] == "/listings/\(lost)?done=match.saved")
            let (mine, theirs) = ("/listings/\(lost)/matches/\(found)", "/listings/\(found)/matches/\(lost)")
            #expect(try await page("/listings/\(lost)", owner).contains("Waiting for the other person"))
            #expect(try await page("/listings/\(found)", finder).contains("Somebody says: it&#39;s Argo"))
            let asked = try await page(theirs, finder)
            #expect(asked.contains("The breed fits") && asked.contains("name=\"answer\" value=\"yes\""))
            for (path, reader) in [(mine, finder), (theirs, owner)] {
                #expect(
                    try await service.send("GET", path, token: reader, headers: ["Accept": "text/html"]).status == 403)
            }
            #expect(try await answer(theirs + "/home", finder, "home=yes").status == 409)
            #expect(try await answer(theirs, finder).headers["location"] == theirs)
            let agreed = try await page(theirs, finder)
            #expect(agreed.contains("Arrange the handover") && agreed.contains("action=\"/listings/\(lost)/write\""))
            // Nobody else is told.
            let stranger = try await service.guest()
            for id in [lost, found] {
                let seen = try await page("/listings/\(id)", stranger)
                let words = ["Arrange the handover", "You both", "Somebody says"].filter { seen.contains($0) }
                #expect(words == [])
                #expect(seen.contains("/listings/\(id)/write"))
            }
            let home = try await answer(mine + "/home", owner, "home=yes")
            #expect(home.headers["location"] == "/listings/\(lost)/home")
            let welcome = try await page("/listings/\(lost)/home", owner)
            #expect(welcome.contains("Welcome home, Argo!") && welcome.contains("action=\"\(mine)/home\""))
            let closed = try await page("/listings/\(lost)/matches", owner)
            #expect(closed.contains("The listing is closed") && !closed.contains("We compared"))
            #expect(try await answer(mine + "/home", owner, "home=no").headers["location"] == mine)
            #expect(try await page("/listings/\(found)", nil).contains("chip found"))
            #expect(try await answer(mine + "/home", owner, "home=maybe").status == 400)
            let reunited = try await answer("/listings/\(lost)/status", owner, "status=reunited")
            #expect(reunited.headers["location"] == "/listings/\(lost)/home?was=lost")
            #expect(try await page("/listings/\(found)", nil).contains("chip reunited"))
        }
    }
}

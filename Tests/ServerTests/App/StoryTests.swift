import Domain
import Foundation
import ServerSupport
import Testing

@Suite("Main scenario over HTTP")
struct StoryTests {
    private static let argo = """
        {"status": "lost", "name": "Argo", "breed": "Pastore tedesco", "lon": 14.79, "lat": 40.77,
         "location_precision": "exact", "microchip": "380 2600 0000 0000", "description": "Collare rosso"}
        """

    @Test("Counts and clusters agree with the results of a search")
    func countsAndClusters() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            for place in [#""lon": 12.48, "lat": 41.89"#, #""lon": 12.49, "lat": 41.9"#, #""lon": 9.19, "lat": 45.46"#]
            {
                _ = try await service.post(#"{"status": "lost", \#(place), "breed": "beagle"}"#, token)
            }
            let count = try await service.send("GET", "/v1/listings/count?breed=beagle&bbox=12,41,13,42")
            #expect(count["count"] == .number(2) && count["exact"] == .bool(true))
            for (zoom, clusters) in [("", 2), ("&zoom=5", 2), ("&zoom=24", 2), ("&zoom=0", 2)] {
                let answer = try await service.send("GET", "/v1/listings/clusters?bbox=6,36,19,48\(zoom)")
                let counts = answer.features.indices.map { answer["features", "\($0)", "properties", "count"] }
                #expect(counts.count == clusters)
                let numbers = counts.map { count -> Double in if case .number(let number)? = count { number } else { 0 }
                }
                #expect(numbers.reduce(0, +) == 3)
            }
            for (path, field) in [
                ("count?limit=3", "limit"), ("clusters?zoom=25", "zoom"), ("clusters?zoom=x", "zoom"),
                ("count?sort=distance&lon=1&lat=1", "sort"),
            ] {
                let answer = try await service.send("GET", "/v1/listings/\(path)")
                #expect(answer.status == 400 && answer.text("field") == field)
            }
        }
    }

    @Test("A listing is identical in lists and by itself, but for the title of lists")
    func listsAndSingles() async throws {
        try await RunningService.with { service in
            let token = try await service.register("anna@example.org")
            let bodies = [
                #"{"status": "lost", "lon": -71.345678901234567, "lat": -41, "name": "Argo \"il\\ bello"}"#,
                #"{"status": "found", "lon": -180, "lat": 71.2, "species": "cat", "description": "è 🐕\n</script>"}"#,
                #"{"status": "sighted", "place": "Salerno", "contact_phone_public": true, "breed": "Beagle"}"#,
                #"{"status": "lost", "lon": 1e-7, "lat": 45, "contact_email": "x@example.org", "contact_email_public": true}"#,
            ]
            for body in bodies { _ = try await service.send("POST", "/v1/listings", body, token: token) }
            let guest = try await service.guest()
            _ = try await service.send("POST", "/v1/listings", bodies[0], token: guest)
            // Owners see more of their own listings, and admins of all; both are read by another path in the code.
            for viewer in [nil, try await service.guest(), token, guest, try await service.admin()] {
                let list = try await service.send("GET", "/v1/listings", token: viewer)
                #expect(list.features.count == bodies.count + 1)
                for index in list.features.indices {
                    let id = try #require(list.text("features", "\(index)", "id"))
                    let single = try await service.send("GET", "/v1/listings/\(id)", token: viewer)
                    guard case .object(var feature) = list.features[index],
                        case .object(var properties)? = feature["properties"]
                    else { throw TestFailure("not a feature: \(list.features[index])") }
                    #expect(properties.removeValue(forKey: "title") != nil)
                    feature["properties"] = .object(properties)
                    #expect(single.json == .object(feature))
                }
            }
        }
    }

    @Test("Long answers are compressed on request and declare their encoding")
    func compression() async throws {
        try await RunningService.with { service in
            let long = Array(repeating: "red collar, shy.", count: 100).joined(separator: " ")
            let id = try await service.post(
                #"{"status": "lost", "lon": 12.48, "lat": 41.89, "description": "\#(long)"}"#,
                try await service.guest()
            )
            let wishes = [
                ("gzip", true), ("br;q=1, gzip;q=0.5", true), ("*", true), ("identity", false), ("gzip;q=0", false),
                ("br", false),
            ]
            for (wish, isCompressed) in wishes {
                let answer = try await service.send("GET", "/v1/listings/\(id)", headers: ["Accept-Encoding": wish])
                #expect((answer.headers["content-encoding"] == "gzip") == isCompressed, "\(wish)")
                #expect(answer.headers["vary"]?.contains("Accept-Encoding") == true)
                #expect(answer.headers["etag"] == (isCompressed ? #"W/"1""# : #""1""#))
                let tag = try #require(answer.headers["etag"])
                let again = try await service.send(
                    "GET",
                    "/v1/listings/\(id)",
                    headers: ["Accept-Encoding": wish, "If-None-Match": tag]
                )
                #expect(again.status == 304)
            }
            // URLSession requests compression by itself and decompresses the answer.
            #expect(try await service.send("GET", "/v1/listings/\(id)").text("properties", "description") == long)
            let short = try await service.send("GET", "/healthz", headers: ["Accept-Encoding": "gzip"])
            #expect(short.headers["content-encoding"] == nil && short.headers["vary"]?.contains("Encoding") != true)
        }
    }

    @Test("A guest posts, the gazetteer adds the place, and others find the listing with its distance")
    func postAndFind() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            let answer = try await service.send("POST", "/v1/listings", Self.argo, token: token)
            #expect(answer.status == 201)
            #expect(answer.text("properties", "place") == "Fisciano")
            #expect(answer.text("properties", "province") == "Salerno")
            #expect(answer.text("properties", "region") == "Campania")
            #expect(answer.text("properties", "country_code") == "IT")
            #expect(answer.text("properties", "breed_key") == "german_shepherd")
            #expect(answer.text("properties", "microchip") == "380260000000000")
            let id = try #require(answer.text("id"))
            #expect(answer.headers["location"] == "https://dogs.example.org/v1/listings/\(id)")
            let far = try await service.post(#"{"status": "lost", "lon": 14.80, "lat": 40.78}"#, token)
            let found = try await service.send("GET", "/v1/listings?lon=14.79&lat=40.77&radius=5000&status=lost")
            #expect(found.text("features", "0", "id") == id)
            #expect(found.text("features", "1", "id") == far)
            #expect(found["features", "0", "properties", "distance"] == .number(0))
            #expect(found["features", "0", "properties", "microchip"] == nil)
            for query in [
                "place=FISCIANO", "place=salerno", "place=sa", "q=coll%20ross", "breed=german%20shepherd",
                "breed=Pastore+Tedesco", "bbox=14.7,40.7,14.795,40.8", "place=Fisciano%20(SA)&q=argo&sort=created_at",
            ] {
                let answer = try await service.send(
                    "GET",
                    "/v1/listings?limit=1&sort=created_at&"
                        + query.replacingOccurrences(of: "&sort=created_at", with: "")
                )
                #expect(answer.text("features", "0", "id") == id, "\(query)")
            }
        }
    }

    @Test("A guest who registers or signs in keeps their listings")
    func guestsKeepListings() async throws {
        try await RunningService.with { service in
            let guest = try await service.guest()
            let first = try await service.post(Self.argo, guest)
            let user = try await service.register("Anna@Example.org", guest: guest)
            #expect(try await service.send("GET", "/v1/me", token: guest).status == 401)
            let other = try await service.guest()
            let second = try await service.post(Self.argo, other)
            let login = try await service.send(
                "POST",
                "/v1/sessions",
                #"{"email": "anna@example.ORG", "password": "correct horse"}"#,
                token: other
            )
            #expect(login.status == 201)
            let mine = try await service.send("GET", "/v1/me/listings", token: user)
            #expect(Set(mine.features.indices.compactMap { mine.text("features", "\($0)", "id") }) == [first, second])
            #expect(try await service.send("GET", "/v1/me", token: other).status == 401)
        }
    }

    @Test("Contacts come from the profile and are hidden until the owner shows them")
    func contacts() async throws {
        try await RunningService.with { service in
            let token = try await service.register("anna@example.org")
            let id = try await service.post(
                #"{"status": "lost", "place": "Fisciano (SA)", "contact_email": null}"#,
                token
            )
            let own = try await service.send("GET", "/v1/listings/\(id)", token: token)
            #expect(own.text("properties", "contact_phone") == "089 1234567")
            #expect(own.text("properties", "contact_name") == "Anna")
            #expect(own["properties", "contact_email"] == .null)
            #expect(own["properties", "approximate"] == .bool(true))
            for path in ["/v1/listings/\(id)", "/v1/listings", "/v1/listings?q=fisciano"] {
                let seen = String(decoding: try await service.send("GET", path).body, as: UTF8.self)
                #expect(seen.contains("Fisciano") && !seen.contains("1234567") && !seen.contains("Anna"))
            }
            try await service.send("PATCH", "/v1/listings/\(id)", #"{"contact_phone_public": true}"#, token: token)
            let shown = try await service.send("GET", "/v1/listings/\(id)")
            #expect(shown.text("properties", "contact_phone") == "089 1234567")
            #expect(shown["properties", "contact_name"] == .null)
        }
    }

    @Test("An edit changes the given fields, needs the current version, and moves the place with the point")
    func edits() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            let id = try await service.post(Self.argo, token)
            let path = "/v1/listings/\(id)"
            let tag = try #require(try await service.send("GET", path, token: token).headers["etag"])
            let moved = try await service.send(
                "PATCH",
                path,
                #"{"lon": 9.19, "lat": 45.464, "name": null}"#,
                token: token,
                headers: ["If-Match": tag]
            )
            #expect(moved.status == 200)
            #expect(moved.text("properties", "place") == "Milano")
            #expect(moved["properties", "name"] == .null)
            #expect(moved.text("properties", "breed") == "Pastore tedesco")
            let stale = try await service.send("PATCH", path, "{}", token: token, headers: ["If-Match": tag])
            #expect(stale.status == 412)
            #expect(try await service.send("DELETE", path, token: token, headers: ["If-Match": tag]).status == 412)
            let current = try #require(try await service.send("GET", path).headers["etag"])
            #expect(try await service.send("GET", path, headers: ["If-None-Match": current]).status == 304)
            let named = try await service.send(
                "PATCH",
                path,
                #"{"lon": null, "lat": null, "place": "Bozen"}"#,
                token: token
            )
            #expect(named.text("properties", "place") == "Bolzano")
            #expect(named["properties", "approximate"] == .bool(true))
            #expect(try await service.send("DELETE", path, token: token).status == 204)
            #expect(try await service.send("GET", path).status == 404)
        }
    }

    @Test("A changed password ends other sessions, and deleting an account deletes its listings")
    func accountsEnd() async throws {
        try await RunningService.with { service in
            let token = try await service.register("anna@example.org")
            let login = #"{"email": "anna@example.org", "password": "correct horse"}"#
            let second = try #require(try await service.send("POST", "/v1/sessions", login).text("token"))
            let id = try await service.post(Self.argo, token)
            let wrong = try await service.send(
                "PATCH",
                "/v1/me",
                #"{"current_password": "wrong", "password": "battery staple"}"#,
                token: token
            )
            #expect(wrong.status == 403)
            let change = #"{"current_password": "correct horse", "password": "battery staple", "last_name": "Rossi"}"#
            #expect(try await service.send("PATCH", "/v1/me", change, token: token).text("last_name") == "Rossi")
            #expect(try await service.send("GET", "/v1/me", token: second).status == 401)
            #expect(try await service.send("GET", "/v1/me", token: token).status == 200)
            #expect(try await service.send("POST", "/v1/sessions", login).status == 401)
            #expect(try await service.send("DELETE", "/v1/me", token: token).status == 204)
            #expect(try await service.send("GET", "/v1/listings/\(id)").status == 404)
            #expect(try await service.send("GET", "/v1/me", token: token).status == 401)
        }
    }

    @Test("Logging out ends the session")
    func logout() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            #expect(try await service.send("DELETE", "/v1/sessions", token: token).status == 204)
            #expect(try await service.send("GET", "/v1/me", token: token).status == 401)
        }
    }

    @Test("Known and unknown addresses get the same answer to a wrong password")
    func noEnumeration() async throws {
        try await RunningService.with { service in
            _ = try await service.register("anna@example.org")
            let known = try await service.send(
                "POST",
                "/v1/sessions",
                #"{"email": "anna@example.org", "password": "x"}"#
            )
            let unknown = try await service.send(
                "POST",
                "/v1/sessions",
                #"{"email": "b@example.org", "password": "x"}"#
            )
            #expect(known.status == 401 && unknown.status == 401)
            #expect(known.body == unknown.body)
        }
    }

    @Test("Pages have next links with the address of the service")
    func pages() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            for index in 0..<7 {
                _ = try await service.post(#"{"status": "lost", "lon": 14.\#(index), "lat": 41.5}"#, token)
            }
            var path = "/v1/listings?lon=14&lat=41.5&limit=3"
            var seen: [String] = []
            while true {
                let page = try await service.send("GET", path, headers: ["Host": "evil.example"])
                seen += page.features.indices.compactMap { page.text("features", "\($0)", "id") }
                guard let next = page.text("links", "1", "href") else { break }
                #expect(next.hasPrefix("https://dogs.example.org/v1/listings?"))
                path = String(next.dropFirst("https://dogs.example.org".count))
            }
            #expect(Set(seen).count == 7 && seen.count == 7)
        }
    }

    @Test("A listing that a moderator has hidden is visible to its owner only")
    func hidden() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            let id = try await service.post(Self.argo, token)
            let uuid = try #require(UUID(uuidString: id))
            let listing = try #require(try await service.board.listings.findListing(id: uuid))
            try await service.board.hide(listing)
            #expect(try await service.send("GET", "/v1/listings/\(id)").status == 404)
            #expect(try await service.send("GET", "/v1/listings").features.isEmpty)
            #expect(try await service.send("GET", "/v1/me/listings", token: token).features.count == 1)
            #expect(try await service.send("GET", "/v1/listings/\(id)", token: token).status == 200)
        }
    }
}

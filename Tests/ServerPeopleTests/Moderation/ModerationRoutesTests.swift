import Domain
import Foundation
import RandomSupport
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Moderation")
struct ModerationRoutesTests {
    private static let argo = #"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77, "breed": "Beagle"}"#
    private static let none = "00000000-0000-4000-8000-000000000000"

    /// A board with a listing that has a photo, and reports of both.
    private struct Scene {
        let service: RunningService
        let owner: String
        let admin: String
        let listing: String
        let photo: String
        /// The reports of the listing and of the photo.
        let reports: [String]
        let account: String

        init(_ service: RunningService) async throws {
            self.service = service
            owner = try await service.register("owner@example.org")
            admin = try await service.admin()
            listing = try await service.post(ModerationRoutesTests.argo, owner)
            let bytes = Data(try plainPNG(width: 40, height: 30))
            let sent = try await service.send("PUT", "/v1/listings/\(listing)/photos/1", bytes: bytes, owner)
            photo = String((sent.text("url") ?? "").split(separator: "/").last?.prefix(36) ?? "")
            let other = try await service.guest()
            for (subject, id) in [("listing", listing), ("photo", photo)] {
                let body = #"{"subject": "\#(subject)", "id": "\#(id)", "reason": "scam"}"#
                guard try await service.send("POST", "/v1/reports", body, token: other).status == 202 else {
                    throw TestFailure("not reported: \(subject)")
                }
            }
            let queue = try service.board.reports.cases(.init()).cases
            reports = queue.map { $0.id.uuidString.lowercased() }
            account = queue[0].account.uuidString.lowercased()
        }

        func deed(_ path: String, _ body: String? = nil, as token: String? = nil) async throws -> Int {
            try await service.send("POST", "/v1/admin/" + path, body, token: token ?? admin).status
        }
    }

    @Test("Only admins can use moderation routes")
    func access() async throws {
        try await RunningService.with(hasModel: false) { service in
            let scene = try await Scene(service)
            let requests: [(String, String, String?, Int)] = [
                ("GET", "/v1/admin/reports", nil, 200), ("GET", "/v1/admin/reports/\(scene.reports[0])", nil, 200),
                ("GET", "/v1/admin/audit", nil, 200), ("GET", "/v1/admin/microchips/380260000000001", nil, 200),
                ("PATCH", "/v1/admin/reports/\(scene.reports[0])", #"{"status": "dismissed"}"#, 200),
                ("POST", "/v1/admin/listings/\(scene.listing)/hide", nil, 204),
                ("POST", "/v1/admin/listings/\(scene.listing)/restore", nil, 204),
                ("POST", "/v1/admin/listings/\(scene.listing)/join", #"{"listing": "\#(Self.none)"}"#, 404),
                ("POST", "/v1/admin/listings/\(scene.listing)/part", nil, 409),
                ("POST", "/v1/admin/photos/\(scene.photo)/remove", nil, 204),
                ("POST", "/v1/admin/sightings/\(UUID().uuidString)/remove", nil, 404),
                ("POST", "/v1/admin/accounts/\(scene.account)/ban", nil, 204),
                ("POST", "/v1/admin/accounts/\(scene.account)/unban", nil, 204),
                ("POST", "/v1/admin/organisations/\(UUID().uuidString)/verify", nil, 404),
                ("POST", "/v1/admin/organisations/\(UUID().uuidString)/unverify", nil, 404),
            ]
            #expect(Set(service.routes.filter { $0.contains("/v1/admin/") }).count == requests.count)
            let callers: [(String?, Int?)] = [
                (nil, 401), ("nonsense", 401), (try await service.guest(), 403), (scene.owner, 403),
                (try await service.register("b@example.org"), 403), (scene.admin, nil),
            ]
            for (token, refused) in callers {
                for (method, path, body, status) in requests {
                    let answer = try await service.send(method, path, body, token: token)
                    #expect(answer.status == refused ?? status, "\(method) \(path)")
                    // The answer does not reveal whether the object exists.
                    let absent = path.replacing(#/[0-9a-f-]{36}/#, with: Self.none)
                    guard let refused, absent != path else { continue }
                    let same = try await service.send(method, absent, body, token: token)
                    #expect(same.status == refused && same.text("detail") == answer.text("detail"), "\(method) \(path)")
                }
            }
            for (method, path, body, _) in requests where path.contains(#/[0-9a-f-]{36}/#) {
                let absent = path.replacing(#/[0-9a-f-]{36}/#, with: Self.none)
                #expect(try await service.send(method, absent, body, token: scene.admin).status == 404, "\(absent)")
            }
            // A cookie is accepted only from pages of this site.
            let cookie = ["Cookie": "__Host-doggofinder=\(scene.admin)", "Origin": "https://evil.example"]
            for (method, path, body, _) in requests where method != "GET" {
                #expect(try await service.send(method, path, body, headers: cookie).status == 401, "\(path)")
            }
        }
    }

    @Test("The error for an invalid decision names the field")
    func invalidBodies() async throws {
        try await RunningService.with(hasModel: false) { service in
            let scene = try await Scene(service)
            let report = "reports/\(scene.reports[0])"
            let (hide, ban) = ("listings/\(scene.listing)/hide", "accounts/\(scene.account)/ban")
            let long = String(repeating: "a", count: 301)
            for (method, path, body, field) in [
                ("PATCH", report, "{}", "status"), ("PATCH", report, #"{"status": "open"}"#, "status"),
                ("PATCH", report, #"{"status": "upheld", "note": "write to anna@example.org"}"#, "note"),
                ("POST", hide, #"{"reason": "appeal"}"#, "reason"), ("POST", hide, #"{"reason": 1}"#, "reason"),
                ("POST", hide, #"{"note": "\#(long)"}"#, "note"), ("POST", hide, #"{"until": "2030-01-01"}"#, "until"),
                ("POST", ban, #"{"until": "2000-01-01"}"#, "until"), ("POST", ban, #"{"until": "soon"}"#, "until"),
            ] {
                let answer = try await service.send(method, "/v1/admin/" + path, body, token: scene.admin)
                #expect(answer.status == 400 && answer.text("field") == field, "\(body.prefix(60))")
            }
            #expect(try service.board.reports.cases(.init()).cases.count == 2)
        }
    }

    @Test("The pages of the queue have next links, sorted by age or by number of reports")
    func queue() async throws {
        try await RunningService.with(hasModel: false) { service in
            let board = service.board
            var ids: [String] = []
            for number in 0..<7 {
                let listing = try await board.listings.create(try .at(1, 2), owner: try await board.guest())
                ids.append(listing.id.uuidString.lowercased())
                for _ in 0...(number % 3) {
                    let draft = Report.Draft(subject: .listing, id: listing.id, reason: .spam, text: nil)
                    try await board.reports.file(draft, by: try await board.guest())
                }
            }
            let admin = try await service.admin()
            for (sort, order) in [("reported_at", [0, 1, 2, 3, 4, 5, 6]), ("-reports", [2, 5, 1, 4, 0, 3, 6])] {
                var path: String? = "/v1/admin/reports?limit=3&sort=\(sort)"
                var seen: [String] = []
                while let next = path {
                    let page = try await service.send("GET", next, token: admin)
                    #expect(page.headers["cache-control"] == "no-store")
                    seen += (0..<3).compactMap { page.text("reports", "\($0)", "subject_id") }
                    path = page.text("links", "1", "href").map {
                        String($0.dropFirst("https://dogs.example.org".count))
                    }
                }
                #expect(seen == order.map { ids[$0] })
            }
            for cursor in ["x", "1", "1.2.3", ".", "9999999999999999999.1"] {
                let answer = try await service.send("GET", "/v1/admin/reports?cursor=\(cursor)", token: admin)
                #expect(answer.status == 400 && answer.text("field") == "cursor")
            }
        }
    }

    @Test("One of two concurrent decisions succeeds, and the other is a conflict")
    func concurrentDecisions() async throws {
        try await RunningService.with(hasModel: false) { service in
            let scene = try await Scene(service)
            let second = try await service.admin("second@example.org")
            func both(_ method: String, _ path: String, _ body: String?) async throws -> [Int] {
                async let one = service.send(method, "/v1/admin/" + path, body, token: scene.admin).status
                async let other = service.send(method, "/v1/admin/" + path, body, token: second).status
                return try await [one, other].sorted()
            }
            let decision = #"{"status": "dismissed"}"#
            #expect(try await both("PATCH", "reports/\(scene.reports[0])", decision) == [200, 409])
            #expect(try await both("POST", "listings/\(scene.listing)/hide", nil) == [204, 409])
            #expect(try await both("POST", "listings/\(scene.listing)/restore", nil) == [204, 409])
            #expect(try await both("POST", "photos/\(scene.photo)/remove", nil) == [204, 404])
            #expect(try await both("POST", "accounts/\(scene.account)/ban", nil) == [204, 409])
            #expect(try await both("POST", "accounts/\(scene.account)/unban", nil) == [204, 409])
            let actions = try AuditLog(service.board.database).entries(.init()).map(\.action).filter {
                $0 != "account.role"
            }
            #expect(
                actions.sorted() == [
                    "account.ban", "account.unban", "listing.hide", "listing.restore", "photo.remove", "report.dismiss",
                    "report.uphold",
                ]
            )
        }
    }

    @Test("A removed photo is deleted with its files, and the listing is kept")
    func photo() async throws {
        try await RunningService.with(hasModel: false) { service in
            let scene = try await Scene(service)
            #expect(try service.photoFiles() == 4)
            #expect(try await scene.deed("photos/\(scene.photo)/remove", #"{"reason": "privacy"}"#) == 204)
            #expect(try service.photoFiles() == 0)
            let listing = try await service.send("GET", "/v1/listings/\(scene.listing)")
            #expect(listing.status == 200 && listing["properties", "photos"] == [])
            #expect(try await service.send("GET", "/photos/\(scene.photo)-320.jpg").status == 404)
            #expect(try service.board.reports.cases(.init()).cases.map(\.subject) == [.listing])
        }
    }

    @Test("A hidden listing is absent from all public answers and returns to all of them")
    func hidden() async throws {
        try await RunningService.with(hasModel: false) { service in
            let scene = try await Scene(service)
            let id = scene.listing
            let guest = try await service.guest()
            func check(_ isShown: Bool, _ what: Comment) async throws {
                for path in [
                    "/v1/listings", "/v1/listings?lon=14.79&lat=40.77&radius=5000", "/v1/listings?q=argo",
                    "/v1/listings?breed=beagle", "/v1/listings?status=lost,found,sighted,reunited,closed",
                    "/v1/listings?bbox=14,40,15,41", "/v1/listings.csv", "/v1/listings.geojson",
                    "/feeds/listings.atom", "/feeds/listings.rss", "/board", "/embed", "/",
                    "/collections/listings/items", "/collections/listings/items?filter=species='dog'",
                ] {
                    for token in [nil, guest, scene.admin] {
                        let answer = try await service.send(
                            "GET",
                            path,
                            token: token,
                            headers: ["Accept": "*/*, text/html"]
                        )
                        let body = String(decoding: answer.body, as: UTF8.self)
                        #expect(answer.status == 200 && body.contains("Argo") == isShown, "\(path) \(what)")
                        #expect(body.contains(scene.photo) == (isShown && !path.hasSuffix("csv")), "\(path) \(what)")
                    }
                }
                for path in [
                    "/v1/listings/\(id)", "/listings/\(id)", "/listings/\(id)/card", "/listings/\(id)/flyer.pdf",
                    "/listings/\(id)/picture.jpg", "/photos/\(scene.photo)-320.jpg",
                    "/collections/listings/items/\(id)",
                    "/report?subject=listing&id=\(id)", "/report?subject=photo&id=\(scene.photo)",
                ] {
                    let answer = try await service.send("GET", path)
                    #expect(answer.status == (isShown ? 200 : 404), "\(path) \(what)")
                }
                // For a visible photo, this address redirects to a host that does not exist in tests.
                if !isShown {
                    #expect(try await service.send("GET", "/v1/listings/\(id)/photos/1").status == 404, what)
                }
                let count = try await service.send("GET", "/v1/listings/count?bbox=14,40,15,41")
                #expect(count["count"] == (isShown ? 1 : 0), what)
                let clusters = try await service.send("GET", "/v1/listings/clusters?bbox=6,36,19,48&zoom=6")
                #expect(clusters.features.count == (isShown ? 1 : 0), what)
                let tile = try await service.send("GET", "/tiles/listings/0/0/0.pbf")
                #expect(tile.status == (isShown ? 200 : 204), what)
                #expect(try await service.board.database.check().isSound, what)
            }
            try await check(true, "at first")
            #expect(try await scene.deed("listings/\(id)/hide", #"{"reason": "scam"}"#) == 204)
            try await check(false, "hidden")
            for token in [scene.owner, scene.admin] {
                let own = try await service.send("GET", "/v1/listings/\(id)", token: token)
                #expect(own.status == 200 && own.text("properties", "hidden_reason") == "scam")
                #expect(try await service.send("GET", "/photos/\(scene.photo)-320.jpg", token: token).status == 200)
            }
            // Changes by the owner do not make it visible.
            let change = #"{"name": "Argo", "description": "Argo!"}"#
            #expect(try await service.send("PATCH", "/v1/listings/\(id)", change, token: scene.owner).status == 200)
            try await check(false, "changed")
            #expect(try await scene.deed("accounts/\(scene.account)/ban") == 204)
            try await check(false, "banned")
            #expect(try await scene.deed("accounts/\(scene.account)/unban") == 204)
            try await check(false, "unbanned")
            #expect(try await scene.deed("listings/\(id)/restore") == 204)
            try await check(true, "restored")
            #expect(try await scene.deed("accounts/\(scene.account)/ban") == 204)
            try await check(false, "banned again")
            #expect(try await scene.deed("listings/\(id)/hide") == 204)
            #expect(try await scene.deed("listings/\(id)/restore") == 204)
            try await check(false, "restored while banned")
            #expect(try await scene.deed("accounts/\(scene.account)/unban") == 204)
            try await check(true, "at last")
        }
    }

    @Test("Subscribers get one removal of a hidden listing and no later events")
    func events() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let listing = try await board.listings.create(try .at(1, 2), owner: owner)
        try await board.hide(listing)
        _ = try await board.listings.update(
            listing.now(board),
            content: listing.content,
            location: listing.location,
            version: nil
        )
        try await board.moderation.ban(owner.id, until: nil, .init(by: .service))
        try await board.moderation.unban(owner.id, by: .service)
        try await board.listings.remove(listing.now(board), version: nil)
        let second = try await board.listings.create(try .at(1, 2), owner: owner)
        try await board.hide(second)
        try await board.moderation.restore(second.id, by: .service)
        let events = try EventStore(board.database).events(after: 0, limit: 100).filter(\.isOfListing)
        #expect(
            events.filter { $0.subject == listing.id.uuidString.lowercased() }.map(\.type) == [
                "listing.created", "listing.removed",
            ]
        )
        #expect(
            events.filter { $0.subject == second.id.uuidString.lowercased() }.map(\.type)
                == ["listing.created", "listing.removed", "listing.updated"]
        )
    }

    @Test("A banned user is refused at once with the reason, and is admitted after the ban")
    func ban() async throws {
        try await RunningService.with(hasModel: false) { service in
            let scene = try await Scene(service)
            let login = #"{"email": "owner@example.org", "password": "correct horse"}"#
            let wrong = #"{"email": "owner@example.org", "password": "wrong horse"}"#
            #expect(
                try await scene.deed("accounts/\(scene.account)/ban", #"{"reason": "spam", "until": "2100-01-01"}"#)
                    == 204
            )
            for (method, path, body) in [
                ("GET", "/v1/me", nil), ("POST", "/v1/listings", Self.argo), ("DELETE", "/v1/me", nil),
                ("POST", "/v1/guests", nil), ("GET", "/v1/listings", nil), ("POST", "/v1/reports", "{}"),
            ] {
                let answer = try await service.send(method, path, body, token: scene.owner)
                #expect(answer.status == 403, "\(method) \(path)")
                #expect(
                    answer.text("detail")
                        == "this account was banned until 2100-01-01T00:00:00.000Z by a moderator: spam"
                )
            }
            #expect(try await service.send("POST", "/v1/sessions", login).status == 403)
            // Other people do not learn of the ban.
            #expect(try await service.send("POST", "/v1/sessions", wrong).status == 401)
            #expect(try await scene.deed("accounts/\(scene.account)/unban") == 204)
            #expect(try await service.send("POST", "/v1/sessions", login).status == 201)
            #expect(try await service.send("GET", "/v1/me", token: scene.owner).status == 200)
        }
    }

    @Test("A banned guest cannot post in the same browser, and their listings return after the ban")
    func bannedGuest()
        async throws
    {
        try await RunningService.with(hasModel: false) { service in
            let token = String(try await service.guest())
            let id = try await service.post(Self.argo, token)
            let account = try #require(try await service.send("GET", "/v1/me", token: token).text("id"))
            let ban = "/v1/admin/accounts/\(account)/ban"
            let admin = try await service.admin()
            let soon = Timestamp.now.adding(seconds: 3600)
            let body = #"{"reason": "abuse", "until": "\#(soon)"}"#
            #expect(try await service.send("POST", ban, body, token: admin).status == 204)
            let browser = [
                "Cookie": "__Host-doggofinder=\(token)", "Origin": "https://dogs.example.org", "Accept": "text/html",
                "Content-Type": "application/x-www-form-urlencoded",
            ]
            let form = Data("status=lost&place=Salerno&name=Again".utf8)
            for (method, path) in [
                ("POST", "/post"), ("GET", "/post"), ("GET", "/account"), ("GET", "/my"),
                ("POST", "/listings/\(id)/renew"),
                ("GET", "/report?subject=listing&id=\(id)"),
            ] {
                let answer = try await service.send(method, path, bytes: method == "POST" ? form : nil, nil, browser)
                #expect(answer.status == 403, "\(method) \(path)")
                #expect(
                    String(decoding: answer.body, as: UTF8.self).contains(/Insults or threats[^|]*account.sign-out/),
                    "\(method) \(path)"
                )
            }
            #expect(try await service.send("GET", "/board", headers: browser).status == 200)
            #expect(try await service.send("GET", "/v1/listings").features.isEmpty)
            try await service.board.moderation.endBans(at: soon.adding(seconds: -1))
            #expect(try await service.send("GET", "/v1/listings").features.isEmpty)
            try await service.board.moderation.endBans(at: soon)
            #expect(try await service.send("GET", "/v1/listings").features.count == 1)
            #expect(try await service.send("GET", "/v1/me", token: token).status == 200)
            let last = try #require(try AuditLog(service.board.database).entries(.init()).first)
            #expect(last.action == "account.unban" && last.actor == "service")
        }
    }

    @Test("A post that is in progress when its account is banned is rejected")
    func lateWrite() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        try await board.moderation.ban(owner.id, until: nil, .init(by: .service))
        let error = await #expect(throws: ServiceError.self) {
            try await board.listings.create(try .at(1, 2), owner: owner)
        }
        #expect(error?.code == .forbidden)
    }

    @Test("Admins cannot be banned, and former moderators cannot ban")
    func roles() async throws {
        try await RunningService.with(hasModel: false) { service in
            let scene = try await Scene(service)
            let second = try await service.admin("second@example.org")
            let id = try #require(try await service.send("GET", "/v1/me", token: second).text("id"))
            #expect(try await scene.deed("accounts/\(id)/ban") == 409)
            let account = try #require(try await service.board.accounts.findAccount(email: "second@example.org"))
            try await service.board.accounts.setRole(account, .user)
            #expect(try await scene.deed("accounts/\(scene.account)/ban", as: second) == 403)
            #expect(try await scene.deed("accounts/\(id)/ban") == 204)
        }
    }

    @Test("Concurrent actions of moderators leave consistent indexes")
    func concurrentActions() async throws {
        let board = try await TestDatabase()
        var owners: [Account] = []
        var ids: [UUID] = []
        for number in 0..<6 {
            owners.append(try await board.guest())
            for _ in 0..<5 {
                ids.append(try await board.listings.create(try .at(Double(number), 2), owner: owners[number]).id)
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 0..<8 {
                group.addTask { [owners, ids] in
                    var random = SeededGenerator(seed: UInt64(seed))
                    for _ in 0..<25 {
                        guard let owner = owners.randomElement(using: &random),
                            let id = ids.randomElement(using: &random)
                        else { continue }
                        do {
                            switch Int.random(in: 0..<4, using: &random) {
                            case 0: try await board.moderation.hide(id, .init(.spam, by: .service))
                            case 1: try await board.moderation.restore(id, by: .service)
                            case 2: try await board.moderation.ban(owner.id, until: nil, .init(.spam, by: .service))
                            default: try await board.moderation.unban(owner.id, by: .service)
                            }
                        } catch let error as ServiceError where error.code == .conflict {
                            // Another task made the change first.
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let findings = try await board.database.check().findings.filter { !$0.problems.isEmpty }
        #expect(findings.map(\.what) == [])
        for owner in owners { try? await board.moderation.unban(owner.id, by: .service) }
        for id in ids { try? await board.moderation.restore(id, by: .service) }
        #expect(try board.search.count(ListingQuery()).count == 30)
    }
}

extension Listing {
    /// The current state of the listing.
    fileprivate func now(_ board: TestDatabase) throws -> Listing {
        guard let listing = try board.listings.findListing(id: id, Listing.init) else {
            throw TestFailure("it is gone")
        }
        return listing
    }
}

import Domain
import Foundation
import HTTP
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Microchips over HTTP")
struct MicrochipRoutesTests {
    private static let number = "380260000000042"
    private static let listing = #"""
        {"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77, "microchip": "380260000000042",
         "secret_mark": "Scar under the left ear"}
        """#
    private static let off = RateLimits(factor: 0, proxies: .none)

    private static func look(
        _ service: RunningService,
        _ number: String = number,
        token: String? = nil,
        address: String? = nil
    ) async throws -> RunningService.Answer {
        let headers = address.map { ["X-Forwarded-For": $0] } ?? [:]
        return try await service.send(
            "POST",
            "/v1/microchip-lookups",
            #"{"number": "\#(number)"}"#,
            token: token,
            headers: headers
        )
    }

    private static func write(
        _ service: RunningService,
        _ token: String,
        _ number: String = number
    ) async throws -> RunningService.Answer {
        let body = #"{"number": "\#(number)", "text": "It is with me", "contact_phone": "+39 333 7654321"}"#
        return try await service.send("POST", "/v1/microchip-messages", body, token: token)
    }

    private static func inbox(_ service: RunningService, _ token: String) async throws -> [JSONValue] {
        let answer = try await service.send("GET", "/v1/me/conversations", token: token)
        guard case .array(let conversations)? = answer["conversations"] else { return [] }
        return conversations
    }

    @Test("A lookup says only whether an open listing has the number")
    func lookup() async throws {
        try await RunningService.with(hasModel: false, limits: Self.off) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            let hit = try await Self.look(service, "380 2600-0000.0042")
            #expect(hit.status == 200 && hit["known"] == .bool(true) && hit.headers["cache-control"] == "no-store")
            #expect(hit.text("write") == "https://dogs.example.org/v1/microchip-messages")
            #expect(hit.text("origin", "country_code") == "IT")
            let text = String(decoding: hit.body, as: UTF8.self)
            #expect(!text.contains(id) && !text.contains("Argo") && !text.contains(Self.number))
            let miss = try await Self.look(service, "380260000000043")
            #expect(miss.status == 200 && miss["known"] == .bool(false) && miss["write"] == .null)
            #expect(miss["origin"] == hit["origin"])
            #expect(Set(miss.headers.keys) == Set(hit.headers.keys))
            for status in ["closed", "reunited"] {
                let body = #"{"status": "\#(status)"}"#
                #expect(try await service.send("PATCH", "/v1/listings/\(id)", body, token: owner).status == 200)
                #expect(try await Self.look(service).body == miss.body)
            }
        }
    }

    @Test("A message reaches the owner and does not tell the finder the listing, until the owner answers")
    func message() async throws {
        try await RunningService.with(hasModel: false, limits: Self.off) { service in
            let (owner, finder) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let sent = try await Self.write(service, finder)
            #expect(sent.status == 204 && sent.body.isEmpty && sent.headers["location"] == nil)
            #expect(try await Self.inbox(service, finder).isEmpty)
            #expect(try await service.send("GET", "/v1/listings/\(id)/messages", token: finder).status == 403)
            let export = try await service.send("GET", "/v1/me/export", token: finder)
            #expect(!String(decoding: export.body, as: UTF8.self).contains(id))
            let got = try await service.send("GET", "/v1/me/conversations", token: owner)
            #expect(got.text("conversations", "0", "last_message", "text") == "It is with me")
            #expect(got.text("conversations", "0", "listing", "id") == id)
            let conversation = try #require(got.text("conversations", "0", "id"))
            let path = "/v1/me/conversations/\(conversation)"
            #expect(try await service.send("GET", path, token: finder).status == 404)
            #expect(
                try await service.send("POST", path + "/messages", #"{"text": "Hello"}"#, token: finder).status == 404
            )
            let answer = try await service.send("POST", path + "/messages", #"{"text": "Thank you"}"#, token: owner)
            #expect(answer.status == 201)
            #expect(try await Self.inbox(service, finder).count == 1)
            #expect(try await service.send("GET", path, token: finder).text("messages", "0", "text") == "Thank you")
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test("Someone who wrote about every listing does not see which of them has the microchip")
    func probing() async throws {
        try await RunningService.with(hasModel: false, limits: Self.off) { service in
            let (owner, prober) = (try await service.guest(), try await service.guest())
            let ids = [
                try await service.post(Self.listing, owner),
                try await service.post(#"{"status": "lost", "name": "Luna", "lon": 14.79, "lat": 40.77}"#, owner),
            ]
            for id in ids {
                let body = #"{"text": "About \#(id)", "mark": "none"}"#
                #expect(
                    try await service.send("POST", "/v1/listings/\(id)/messages", body, token: prober).status == 201
                )
            }
            let before = try await Self.inbox(service, prober)
            #expect(try await Self.write(service, prober).status == 204)
            #expect(try await Self.inbox(service, prober) == before)
            for id in ids {
                let page = try await service.send("GET", "/v1/listings/\(id)", token: prober)
                #expect(page.text("properties", "microchip") == nil)
            }
            // A listing of one's own with the same number does not change what others' listings tell.
            let own = #"{"status": "found", "lon": 14.79, "lat": 40.77, "microchip": "380260000000077"}"#
            _ = try await service.post(own, prober)
            #expect(try await Self.write(service, prober, "380260000000077").status == 404)
        }
    }

    @Test("Blocked finders are answered alike, and nobody gets the message")
    func blocked() async throws {
        try await RunningService.with(hasModel: false, limits: Self.off) { service in
            let (owner, finder) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let body = #"{"text": "Hello", "mark": "none"}"#
            let first = try await service.send("POST", "/v1/listings/\(id)/messages", body, token: finder)
            let conversation = first.text("conversation") ?? ""
            let block = #"{"conversation": "\#(conversation)"}"#
            #expect(try await service.send("POST", "/v1/me/blocks", block, token: owner).status == 204)
            #expect(try await Self.write(service, finder).status == 204)
            #expect(try await Self.inbox(service, owner).isEmpty)
            #expect(try await Self.inbox(service, finder).count == 1)
            let left = try await service.board.database.read { db in
                try db.value("SELECT count(*) FROM conversation") as Int?
            }
            #expect(left == 1)
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test("Hidden listings and unknown numbers have no owner to write to")
    func unknown() async throws {
        try await RunningService.with(hasModel: false, limits: Self.off) { service in
            let (owner, finder) = (try await service.guest(), try await service.guest())
            let id = try #require(UUID(uuidString: try await service.post(Self.listing, owner)))
            #expect(try await Self.write(service, finder, "380260000000043").status == 404)
            _ = try await service.board.moderation.hide(id, .init(.spam, note: nil, by: .service))
            #expect(try await Self.write(service, finder).status == 404)
            #expect(try await Self.look(service)["known"] == .bool(false))
        }
    }

    @Test(
        "Anything that is no number is refused and named",
        arguments: [
            #"{}"#, #"{"number": null}"#, #"{"number": 380260000000042}"#, #"{"number": ["380260000000042"]}"#,
            #"{"number": ""}"#, #"{"number": "38026000000004"}"#, #"{"number": "999260000000042"}"#,
            #"{"number": "380260000000042' OR 1=1 --"}"#, #"{"number": "%"}"#, #"{"number": "٣٨٠٢٦٠٠٠٠٠٠٠٠٤٢"}"#,
            #"{"number": "\#(String(repeating: "3", count: 10_000))"}"#, #"{"number": "3802600000000\u0000"}"#,
            #"{"number": "380260000000042", "id": 1}"#,
        ]
    )
    func hostile(body: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.send("POST", "/v1/microchip-lookups", body)
            #expect(answer.status == 400)
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains(body.contains("\"id\"") ? "id" : "number"))
            #expect(!text.contains(Self.number), "errors do not repeat numbers")
        }
    }

    @Test("Lookups are limited for each account and each address, whether they hit or miss")
    func limits() async throws {
        let limits = RateLimits(factor: 1, proxies: try TrustedProxies(parsing: "loopback"), maxDelay: .zero)
        try await RunningService.with(hasModel: false, limits: limits) { service in
            let owner = try await service.guest()
            _ = try await service.post(Self.listing, owner)
            for last in 0..<12 {
                let number = last.isMultiple(of: 2) ? Self.number : "38026000000005\(last % 10)"
                let answer = try await Self.look(service, number, address: "2001:db8:1:2::\(last)")
                #expect(answer.status == 200, "\(last)")
            }
            for number in [Self.number, "380260000000051"] {
                let refused = try await Self.look(service, number, address: "2001:db8:1:2::99")
                #expect(refused.status == 429 && refused.headers["retry-after"] != nil)
                #expect(refused.headers["ratelimit-policy"] == "\"microchip\";q=6;w=3600")
            }
            // Malformed numbers do not count, and another network is not affected.
            let other = "2001:db8:1:3::1"
            for _ in 0..<20 { #expect(try await Self.look(service, "1", address: other).status == 400) }
            #expect(try await Self.look(service, address: other).status == 200)
            // An account is limited wherever it is.
            let account = try await service.guest()
            for network in 1...6 {
                let answer = try await Self.look(service, token: account, address: "192.0.2.\(network)")
                #expect(answer.status == 200)
            }
            #expect(try await Self.look(service, token: account, address: "192.0.2.7").status == 429)
            let body = #"{"number": "\#(Self.number)", "text": "It is with me"}"#
            let message = try await service.send(
                "POST",
                "/v1/microchip-messages",
                body,
                token: account,
                headers: ["X-Forwarded-For": "192.0.2.8"]
            )
            #expect(message.status == 429, "messages count as lookups")
        }
    }

    @Test("Admins find all listings with a number")
    func admin() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            #expect(
                try await service.send("PATCH", "/v1/listings/\(id)", #"{"status": "closed"}"#, token: owner).status
                    == 200
            )
            let admin = try await service.admin()
            let found = try await service.send("GET", "/v1/admin/microchips/\(Self.number)", token: admin)
            #expect(found.text("listings", "0", "id") == id && found.text("listings", "0", "status") == "closed")
            let none = try await service.send("GET", "/v1/admin/microchips/380260000000043", token: admin)
            #expect(none.status == 200 && none["numberReturned"] == .number(0))
            #expect(try await service.send("GET", "/v1/admin/microchips/12", token: admin).status == 400)
        }
    }

    @Test(
        "Prefixes name countries and manufacturers",
        arguments: [
            ("380", "IT", "Italia", nil, "https://www.salute.gov.it"),
            ("276", "DE", "Germania", nil, "https://www.tasso.net"),
            ("036", "AU", "Australia", nil, "https://www.petaddress.com.au"),
            ("392", "JP", "Giappone", nil, "https://www.europetnet.org"),
            ("981", nil, nil, "Datamars", "https://www.petlink.net"),
            ("985", nil, nil, "Destron Fearing", "https://www.homeagain.com"),
            ("900", nil, nil, nil, "https://www.europetnet.org"), ("950", nil, nil, nil, "https://www.europetnet.org"),
            ("001", nil, nil, nil, "https://www.europetnet.org"),
        ] as [(String, String?, String?, String?, String)]
    )
    func prefixes(
        prefix: String,
        code: String?,
        country: String?,
        manufacturer: String?,
        registry: String
    ) async throws {
        try await RunningService.with(hasModel: false) { service in
            let path = "/v1/microchip-registries?prefix=\(prefix)"
            let answer = try await service.send("GET", path, headers: ["Accept-Language": "it"])
            #expect(answer.status == 200 && answer.text("prefix") == prefix)
            #expect(answer.text("country_code") == code && answer.text("country") == country)
            #expect(answer.text("manufacturer") == manufacturer)
            #expect(answer.text("registries", "0", "url") == registry)
            for wrong in ["", "?prefix=38", "?prefix=999", "?prefix=000", "?prefix=3800", "?prefix=+38", "?prefix=x"] {
                #expect(try await service.send("GET", "/v1/microchip-registries" + wrong).status == 400, "\(wrong)")
            }
        }
    }

    @Test("The registries of the site's country are asked first about a manufacturer's number, and all of them once")
    func registriesOfSite() async throws {
        var site = SiteSettings()
        site.mapArea = try BoundingBox(parsing: "-2.5,51.5,-1.5,53")
        try await RunningService.with(hasModel: false, site: site) { service in
            let answer = try await service.send("GET", "/v1/microchip-registries?prefix=977")
            let names = (0..<6).compactMap { answer.text("registries", "\($0)", "name") }
            #expect(
                names == [
                    "Petlog", "Identibase", "AVID PETtrac", "Europetnet", "AAHA Universal Pet Microchip Lookup",
                ])
        }
    }

    @Test("The page finds a number, sends a message as a new guest, and keeps numbers out of addresses")
    func page() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            _ = try await service.post(Self.listing, owner)
            func submit(_ path: String, _ form: String, cookie: String) async throws -> RunningService.Answer {
                let headers = [
                    "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html",
                    "Sec-Fetch-Site": "same-origin", "Cookie": cookie, "Accept-Language": "it",
                ]
                return try await service.send("POST", path, bytes: Data(form.utf8), nil, headers, isFollowing: false)
            }
            let form = try await service.send("GET", "/microchip", headers: ["Accept": "text/html"])
            let cookie = try #require(form.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
            #expect(form.status == 200 && form.headers["cache-control"] == "no-store")
            let miss = String(
                decoding: try await submit("/microchip", "number=276260000000043", cookie: cookie).body,
                as: UTF8.self
            )
            #expect(miss.contains("Nessun annuncio aperto") && miss.contains("Germania"))
            #expect(miss.contains("europetnet.org") && !miss.contains("salute.gov.it"))
            let wrong = try await submit("/microchip", "number=12", cookie: cookie)
            #expect(wrong.status == 400 && String(decoding: wrong.body, as: UTF8.self).contains("15 cifre"))
            let hit = try await submit("/microchip", "number=380+2600+0000+0042", cookie: cookie)
            let html = String(decoding: hit.body, as: UTF8.self)
            #expect(hit.status == 200 && html.contains("/microchip/message") && !html.contains("Argo"))
            let empty = try await submit("/microchip/message", "number=\(Self.number)", cookie: cookie)
            #expect(empty.status == 400)
            let sent = try await submit("/microchip/message", "number=\(Self.number)&text=Ciao", cookie: cookie)
            #expect(sent.status == 303 && sent.headers["location"]?.hasSuffix("/microchip?done=chip.sent") == true)
            #expect(try await Self.inbox(service, owner).count == 1)
        }
    }
}

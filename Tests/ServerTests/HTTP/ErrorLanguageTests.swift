import Domain
import Foundation
import HTTP
import HTTPTypes
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Languages of errors")
struct ErrorLanguageTests {
    /// A request that is refused.
    private struct Refusal {
        let status: Int
        let method: String
        let path: String
        var body: String?
        var token: String?
        var headers: [String: String] = [:]
    }

    private static func send(
        _ refusal: Refusal,
        _ language: String,
        _ service: RunningService
    ) async throws -> RunningService.Answer {
        try await service.send(
            refusal.method,
            refusal.path,
            refusal.body,
            token: refusal.token,
            headers: refusal.headers.merging(["Accept-Language": language]) { $1 }
        )
    }

    private static func names(_ list: String?) -> [String] {
        (list ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Compares the answers to a request in the languages with the English one.
    private static func check(
        _ refusal: Refusal,
        in languages: [Language] = Language.allCases,
        _ service: RunningService
    ) async throws {
        let english = try await send(refusal, "en", service)
        let name = "\(refusal.status) \(refusal.method) \(refusal.path.prefix(60))"
        #expect(english.status == refusal.status, "\(name)")
        var details: Set<String> = []
        for language in languages {
            let answer = try await send(refusal, language.code, service)
            #expect(answer.status == refusal.status, "\(name)")
            #expect(answer.headers["content-type"] == "application/problem+json", "\(name)")
            #expect(answer.headers["content-language"] == language.code, "\(name)")
            #expect(names(answer.headers["vary"]).contains("Accept-Language"), "\(name)")
            for key in ["title", "status", "field"] { #expect(answer[key] == english[key], "\(name) \(key)") }
            let detail = try #require(answer.text("detail"))
            #expect((detail == english.text("detail")) == (language == .english), "\(name) \(detail)")
            details.insert(detail)
        }
        #expect(details.count == languages.count, "\(name) \(details)")
    }

    @Test("Refusals of each kind are told in each language, with the status, title and field of the English answer")
    func refusals() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, other) = (try await service.guest(), try await service.guest())
            let post = #"{"status": "lost", "lon": 14.8, "lat": 40.7}"#
            let id = try await service.post(post, owner)
            _ = try await service.register("anna@example.org")
            let key = ["Idempotency-Key": "\"a\""]
            let keyed = try await service.send("POST", "/v1/listings", post, token: owner, headers: key)
            #expect(keyed.status == 201)
            let taken = #"{"email": "anna@example.org", "password": "correct horse"}"#
            let type = ["Content-Type": "text/plain"]
            for refusal in [
                Refusal(status: 404, method: "GET", path: "/nowhere"),
                Refusal(status: 405, method: "PUT", path: "/v1/listings"),
                Refusal(status: 400, method: "GET", path: "/v1/listings?limit=0"),
                Refusal(status: 400, method: "GET", path: "/v1/listings?colour=red"),
                Refusal(status: 400, method: "GET", path: "/v1/listings?limit=1&limit=2"),
                Refusal(status: 400, method: "GET", path: "/v1/listings?q=%ff"),
                Refusal(status: 400, method: "GET", path: "/v1/listings?cursor=xyz"),
                Refusal(status: 400, method: "GET", path: "/v1/listings?bbox=1,2,3"),
                Refusal(status: 400, method: "POST", path: "/v1/listings", body: #"{"status": "gone"}"#, token: owner),
                Refusal(
                    status: 400, method: "POST", path: "/v1/listings",
                    body: #"{"status": "lost", "lon": 1, "lat": 45, "microchip": "12345"}"#, token: owner),
                Refusal(
                    status: 400, method: "POST", path: "/v1/listings",
                    body: #"{"status": "lost", "lon": 10, "lat": 45, "contact_phone": "call me"}"#, token: owner),
                Refusal(
                    status: 400, method: "POST", path: "/v1/listings",
                    body: #"{"status": "lost", "place": "Qwertzuiop"}"#, token: owner),
                Refusal(status: 400, method: "POST", path: "/v1/listings", body: "{", token: owner),
                Refusal(status: 401, method: "GET", path: "/v1/me"),
                Refusal(status: 401, method: "GET", path: "/v1/me", token: "nonsense"),
                Refusal(status: 403, method: "PATCH", path: "/v1/listings/\(id)", body: "{}", token: other),
                Refusal(status: 404, method: "GET", path: "/v1/listings/1"),
                Refusal(status: 409, method: "POST", path: "/v1/accounts", body: taken),
                Refusal(
                    status: 412, method: "PATCH", path: "/v1/listings/\(id)", body: "{}", token: owner,
                    headers: ["If-Match": "\"x\""]),
                Refusal(
                    status: 413, method: "POST", path: "/v1/listings", body: String(repeating: " ", count: 70_000),
                    token: owner),
                Refusal(status: 414, method: "GET", path: "/v1/listings?q=" + String(repeating: "a", count: 16 << 10)),
                Refusal(status: 415, method: "POST", path: "/v1/listings", body: "{}", token: owner, headers: type),
                Refusal(
                    status: 422, method: "POST", path: "/v1/listings",
                    body: #"{"status": "found", "lon": 1, "lat": 45}"#,
                    token: owner, headers: key),
                Refusal(status: 400, method: "GET", path: "/collections/listings/items?limit=0"),
                Refusal(status: 400, method: "GET", path: "/collections/listings/items?filter=name%20LIKE%205"),
                Refusal(
                    status: 400, method: "GET", path: "/collections/listings/items?filter-lang=cql2-json&filter=%7B%7D"),
                Refusal(status: 404, method: "GET", path: "/collections/listings/items/1"),
                Refusal(status: 400, method: "GET", path: "/v1/listings/stream?last_event_id=x"),
            ] {
                try await Self.check(refusal, service)
            }
        }
    }

    @Test("A ban is told in the caller's language")
    func ban() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (admin, token) = (try await service.admin(), try await service.register("anna@example.org"))
            let account = try #require(try await service.send("GET", "/v1/me", token: token).text("id"))
            let path = "/v1/admin/accounts/\(account)/ban"
            #expect(try await service.send("POST", path, #"{"reason": "scam"}"#, token: admin).status == 204)
            try await Self.check(Refusal(status: 403, method: "GET", path: "/v1/me", token: token), service)
        }
    }

    @Test("A limit is told in the caller's language")
    func limits() async throws {
        let limits = RateLimits(
            factor: 1.0 / 60, proxies: try TrustedProxies(parsing: "loopback"), maxDelay: .milliseconds(10))
        try await RunningService.with(hasModel: false, limits: limits) { service in
            let headers = ["X-Forwarded-For": "1.1.1.1"]
            while try await service.send("POST", "/v1/guests", headers: headers).status != 429 {}
            for (language, words) in [("en", "try again in"), ("it", "riprova tra"), ("de", "versuch es in")] {
                let answer = try await service.send(
                    "POST", "/v1/guests", headers: headers.merging(["Accept-Language": language]) { $1 })
                #expect(answer.status == 429 && answer.text("detail")?.contains(words) == true)
                #expect(answer.text("title") == "Too Many Requests" && answer.headers["retry-after"] != nil)
                #expect(answer.headers["content-language"] == language)
                #expect(Self.names(answer.headers["vary"]).contains("Accept-Language"))
            }
        }
    }

    @Test(
        "A fault of the disk is told in the caller's language",
        .enabled(if: TestDatabase.isFile, "about database files"))
    func fault() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let database = service.board.database
            try await database.write(.newListings) { db in _ = try db.execute("PRAGMA query_only = ON") }
            let body = #"{"status": "lost", "lon": 14.8, "lat": 40.7}"#
            try await Self.check(
                Refusal(status: 503, method: "POST", path: "/v1/listings", body: body, token: token), service)
        }
    }

    @Test(
        "The language that the client prefers most is taken, and English if none is known",
        arguments: [
            ("it", "it"), ("de;q=0.3, fr", "fr"), ("es-MX", "es"), ("it;q=0, de", "de"), ("xx", "en"),
            ("xx, it;q=0.1", "it"),
            ("", "en"), ("../it", "en"),
        ]
    )
    func preferences(header: String, code: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.exchange(
                "GET /v1/listings?limit=0 HTTP/1.1\r\nHost: x\r\nAccept-Language: \(header)\r\nConnection: close\r\n\r\n"
            )
            #expect(answer.lowercased().contains("content-language: \(code)\r\n"))
            let language = try #require(Language(rawValue: code))
            let detail = ServiceError.invalid("limit", "expected a number between \(1) and \(200)").message
            #expect(answer.contains(detail.text(in: language)))
        }
    }

    @Test("Without a preference, and before the headers are known, errors are in English")
    func english() async throws {
        try await RunningService.with(hasModel: false) { service in
            for (head, words) in [
                ("GET /nowhere HTTP/1.1\r\n", "Nothing is found here"),
                ("get /nowhere HTTP/1.1\r\nAccept-Language: it\r\n", "expected one that is registered"),
            ] {
                let answer = try await service.exchange("\(head)Host: x\r\nConnection: close\r\n\r\n")
                #expect(answer.lowercased().contains("content-language: en\r\n") && answer.contains(words), "\(head)")
            }
        }
    }

    @Test("The geocoders tell errors in their own form, in the language of their parameter, else of the header")
    func geocoders() async throws {
        try await RunningService.with(hasModel: false) { service in
            for (path, parameter, message) in [
                ("/nominatim/search?limit=1", "accept-language", ["error", "message"]),
                ("/photon/api?limit=1", "lang", ["message"]),
            ] {
                for (query, header, code) in [
                    ("", "it", "it"), ("&\(parameter)=fr", "it", "fr"), ("&\(parameter)=xx", "de", "de"),
                    ("", "en", "en"),
                ] {
                    let answer = try await service.send("GET", path + query, headers: ["Accept-Language": header])
                    #expect(answer.status == 400 && answer.headers["content-language"] == code, "\(path) \(query)")
                    #expect(Self.names(answer.headers["vary"]).contains("Accept-Language"))
                    let language = try #require(Language(rawValue: code))
                    let expected = ServiceError.invalid("q", "expected a place's name").message.text(in: language)
                    let found = message.count == 2 ? answer.text("error", "message") : answer.text("message")
                    #expect(found == expected, "\(path) \(query)")
                }
            }
        }
    }

    @Test("Pages tell errors in words for persons")
    func pages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let headers = ["Accept": "text/html", "Accept-Language": "it"]
            let page = try await service.send("GET", "/nowhere", headers: headers)
            #expect(
                page.status == 404 && page.headers["content-language"] == "it"
                    && page.html.contains("<html lang=\"it\""))
        }
    }
}

import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@Suite("Codes of listings over HTTP")
struct ListingCodeRoutesTests {
    private static let argo = #"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}"#
    private static let luna = #"{"status": "lost", "name": "Luna", "lon": 14.8, "lat": 40.77}"#
    private static let page = ["Accept": "text/html", "Accept-Language": "it"]

    private static func follow(
        _ path: String,
        _ service: RunningService,
        token: String? = nil,
        _ headers: [String: String] = page
    ) async throws -> RunningService.Answer {
        let cookie = token.map { ["Cookie": "__Host-doggofinder=\($0)"] } ?? [:]
        return try await service.send(
            "GET", path, bytes: nil, nil, headers.merging(cookie) { $1 }, isFollowing: false)
    }

    /// The ways in which people type a code, percent-encoded.
    private static func written(_ code: String) -> [String] {
        let (first, last) = (code.prefix(3), code.dropFirst(3))
        return [code, code.lowercased(), "\(first)-\(last)", "\(first.lowercased())%20\(last)", "%20\(code)%20"]
    }

    @Test("A short address leads to the page of its listing, in any case and with spaces and hyphens")
    func addresses() async throws {
        try await RunningService.with(hasModel: false) { service in
            let id = try await service.post(Self.argo, service.guest())
            let code = try await service.board.code(of: id)
            for text in Self.written(code) {
                let answer = try await Self.follow("/l/\(text)", service)
                #expect(answer.status == 303 && answer.headers["location"] == "/listings/\(id)", "\(text)")
                #expect(answer.headers["cache-control"] == "no-store")
            }
            let shown = try await service.send("GET", "/l/\(code)", headers: Self.page)
            #expect(shown.status == 200 && shown.html.contains("Argo"))
            #expect(try await Self.follow("/l/\(code)", service, [:]).status == 303)
        }
    }

    @Test(
        "An unknown code gets the page for missing pages with a sentence",
        arguments: ["7KF3M2", "O000000", "2222222", "x"])
    func unknown(code: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await Self.follow("/l/\(code)", service)
            #expect(answer.status == 404 && answer.html.contains("Nessun annuncio ha questo codice."))
            #expect(answer.html.contains("Pagina non trovata"))
            let plain = try await Self.follow("/l/\(code)", service, [:])
            #expect(plain.status == 404 && plain.text("detail") == "no listing has this code")
        }
    }

    @Test("The code of a hidden or removed listing tells others no more than an unknown one")
    func hidden() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.argo, owner)
            _ = try await service.post(Self.luna, owner)
            let code = try await service.board.code(of: id)
            let listing = try #require(UUID(uuidString: id))
            let unknown = code == "2222222" ? "3333333" : "2222222"
            func answers(_ code: String) async throws -> [String] {
                let paths = ["/l/\(code)", "/board?q=\(code)", "/v1/listings?q=\(code)", "/map?q=\(code)"]
                var answers: [String] = []
                for path in paths {
                    let answer = try await Self.follow(path, service)
                    answers.append(
                        "\(answer.status) "
                            + answer.html.replacing(code, with: "").replacing(code.lowercased(), with: ""))
                }
                return answers
            }
            try await service.board.moderation.hide(listing, .init(.spam, note: nil, by: .service))
            #expect(try await answers(code) == answers(unknown))
            #expect(try await Self.follow("/l/\(code)", service, token: owner).headers["location"] == "/listings/\(id)")
            let own = try await service.send("GET", "/v1/me/listings?q=\(code)", token: owner)
            #expect(own.features.count == 1 && own.text("features", "0", "id") == id)
            try await service.board.moderation.restore(listing, by: .service)
            #expect(try await Self.follow("/l/\(code)", service).status == 303)
            #expect(try await service.send("DELETE", "/v1/listings/\(id)", token: owner).status == 204)
            #expect(try await answers(code) == answers(unknown))
        }
    }

    @Test("A code that is typed into the search of the board opens its listing, unless its words are quoted")
    func board() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.argo, token)
            _ = try await service.post(Self.luna, token)
            let code = try await service.board.code(of: id)
            for text in Self.written(code) {
                for path in ["/board?q=\(text)", "/?q=\(text)", "/board?q=\(text)&status=found"] {
                    let answer = try await Self.follow(path, service)
                    #expect(answer.status == 303 && answer.headers["location"] == "/listings/\(id)", "\(path)")
                }
            }
            for path in ["/board?q=%22\(code)%22", "/board?q=\(code)%20cane"] {
                let answer = try await Self.follow(path, service)
                #expect(answer.status == 200 && !answer.html.contains(id), "\(path)")
            }
            let closed = #"{"status": "reunited"}"#
            #expect(try await service.send("PATCH", "/v1/listings/\(id)", closed, token: token).status == 200)
            #expect(try await Self.follow("/board?q=\(code)", service).headers["location"] == "/listings/\(id)")
        }
    }

    @Test("An unknown code is searched as words")
    func words() async throws {
        try await RunningService.with(hasModel: false) { service in
            let body = #"{"status": "lost", "name": "Argo", "marks": "tatuaggio 7KF3M2Q", "lon": 14.79, "lat": 40.77}"#
            let id = try await service.post(body, service.guest())
            let found = try await service.send("GET", "/v1/listings?q=7kf3m2q")
            #expect(found.text("features", "0", "id") == id && found.text("reading", "0", "kind") == "text")
            #expect(try await Self.follow("/board?q=7KF3M2Q", service).html.contains(id))
        }
    }

    @Test("The API shows the code, and its searches find a listing by it with all their other conditions")
    func searches() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.argo, token)
            _ = try await service.post(Self.luna, token)
            let code = try await service.board.code(of: id)
            for caller in [token, nil] {
                let shown = try await service.send("GET", "/v1/listings/\(id)", token: caller)
                #expect(shown.text("properties", "code") == code)
            }
            for text in Self.written(code) {
                for path in ["/v1/listings?q=", "/v1/listings.geojson?q=", "/collections/listings/items?q="] {
                    let found = try await service.send("GET", path + text)
                    #expect(found.features.count == 1 && found.text("features", "0", "id") == id, "\(path)\(text)")
                    #expect(found.text("features", "0", "properties", "code") == code)
                }
                let read = try await service.send("GET", "/v1/listings?q=\(text)")
                #expect(read.text("reading", "0", "kind") == "code" && read.text("reading", "0", "values", "0") == code)
                #expect(try await service.send("GET", "/v1/listings/count?q=\(text)")["count"] == .number(1))
            }
            let near = try await service.send("GET", "/v1/listings?q=\(code)&lon=14.79&lat=40.78&radius=5000")
            #expect(near.text("features", "0", "id") == id)
            for conditions in [
                "status=found", "lon=9&lat=45&radius=5000", "species=cat", "bbox=9,45,10,46", "reading=no",
            ] {
                let none = try await service.send("GET", "/v1/listings?q=\(code)&\(conditions)")
                #expect(none.features.isEmpty, "\(conditions)")
            }
            let filter = "filter=code%20=%20%27\(code)%27"
            #expect(try await service.send("GET", "/collections/listings/items?\(filter)").features.count == 1)
            let own = try await service.send("GET", "/v1/me/listings?q=\(code.lowercased())", token: token)
            #expect(own.features.count == 1 && own.text("features", "0", "id") == id)
        }
    }

    @Test("Clients cannot write the code, and a change keeps it")
    func writing() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let chosen = #"{"status": "lost", "lon": 14.79, "lat": 40.77, "code": "7KF3M2Q"}"#
            #expect(try await service.send("POST", "/v1/listings", chosen, token: token).status == 400)
            let id = try await service.post(Self.argo, token)
            let code = try await service.board.code(of: id)
            let change = try await service.send("PATCH", "/v1/listings/\(id)", #"{"name": "Fido"}"#, token: token)
            #expect(change.text("properties", "code") == code)
            let refused = try await service.send("PATCH", "/v1/listings/\(id)", #"{"code": "7KF3M2Q"}"#, token: token)
            #expect(refused.status == 400)
        }
    }

    @Test("An alert is no search for a listing by its code")
    func alerts() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.argo, token)
            let code = try await service.board.code(of: id)
            let body = #"{"search": {"q": "\#(code)"}}"#
            #expect(try await service.send("POST", "/v1/me/alerts", body, token: token).status == 400)
        }
    }
}

import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Form for posting")
struct PostPagesTests {
    /// The headers that a browser sends.
    private static func headers(_ cookie: String? = nil) -> [String: String] {
        let form = [
            "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html", "Sec-Fetch-Site": "same-origin",
        ]
        return cookie.map { form.merging(["Cookie": $0]) { $1 } } ?? form
    }

    @Test("A rejected form creates no guest and keeps its contents")
    func refusal() async throws {
        try await RunningService.with(hasModel: false) { service in
            let accounts = AccountStore(service.board.database)
            let before = try await accounts.findAccounts(role: nil, limit: 100).count
            let answer = try await service.send(
                "POST",
                "/post",
                bytes: Data("status=lost&name=Argo&place=Nowhere+at+all".utf8),
                nil,
                Self.headers()
            )
            #expect(answer.status == 400)
            let page = String(decoding: answer.body, as: UTF8.self)
            #expect(page.contains("value=\"Argo\"") && page.contains("href=\"#field-place\""))
            #expect(try await accounts.findAccounts(role: nil, limit: 100).count == before)
        }
    }

    @Test("A listing that changed meanwhile is not overwritten, and the form keeps its contents")
    func conflict() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(#"{"status": "lost", "name": "Argo", "place": "Fisciano"}"#, token)
            try await service.send("PATCH", "/v1/listings/\(id)", #"{"colour": "black"}"#, token: token)
            let typed = "status=lost&species=dog&name=Argo&place=Fisciano&marks=red+collar&version="
            func edit(_ version: Int) async throws -> RunningService.Answer {
                try await service.send(
                    "POST",
                    "/listings/\(id)/edit",
                    bytes: Data("\(typed)\(version)".utf8),
                    token,
                    Self.headers()
                )
            }
            let late = try await edit(1)
            let page = String(decoding: late.body, as: UTF8.self)
            #expect(late.status == 409 && page.contains("red collar"))
            #expect(page.contains(#"name="version" value="2""#))
            #expect(try await service.send("GET", "/v1/listings/\(id)").text("properties", "marks") == nil)
        }
    }

    @Test("Unreadable values of special fields are rejected, not ignored")
    func unreadableFields() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let listing = try await service.post(#"{"status": "lost", "place": "Fisciano"}"#, token)
            let edit = "/listings/\(listing)/edit"
            for (path, field) in [
                ("/post", "photos=x"), (edit, "version=x"), (edit, "remove_photo=7"),
                (edit, "first_photo=7"), (edit, "first_photo=x"),
                (edit, "photos=x"),
            ] {
                let form = Data("status=lost&name=Argo&place=Fisciano&\(field)".utf8)
                let answer = try await service.send("POST", path, bytes: form, token, Self.headers())
                #expect(answer.status == 400, "\(path) \(field)")
            }
            let own = try await service.send("GET", "/v1/me/listings", token: token)
            #expect(own.features.count == 1 && own["features", "0", "properties", "name"] == .null)
        }
    }

    @Test("An invalid radius is rejected", arguments: ["-1e300", "1e300", "-inf", "nan", "x"])
    func invalidDistance(radius: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            for place in ["lon=14.79&lat=40.77", "place=Fisciano", ""] {
                let answer = try await service.send("GET", "/board?radius=\(radius)&\(place)")
                #expect(answer.status == 400, "\(place)")
            }
            #expect(try await service.send("GET", "/healthz").status == 200)
        }
    }

    @Test("The board contains the event id from which its live updates start")
    func eventID() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            _ = try await service.post(#"{"status": "lost", "place": "Fisciano"}"#, token)
            let last = try #require(try EventStore(service.board.database).bounds()?.upperBound)
            let first = try await service.send("GET", "/board", headers: ["Accept": "text/html"])
            #expect(String(decoding: first.body, as: UTF8.self).contains("data-live=\"\(last)\""))
            let filtered = try await service.send(
                "GET",
                "/board?place=Nowhere&radius=5000",
                headers: ["Accept": "text/html"]
            )
            #expect(filtered.status == 400 && !String(decoding: filtered.body, as: UTF8.self).contains("data-live"))
        }
    }
}

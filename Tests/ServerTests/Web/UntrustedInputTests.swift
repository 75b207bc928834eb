import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@Suite("Untrusted input on pages")
struct UntrustedInputTests {
    private static let markup = #""'><xss a="</script><!--{{title}}"#

    @Test("User input is displayed as text everywhere")
    func markup() async throws {
        try await RunningService.with { service in
            let visitor = Visitor(service)
            var fields = ["status": "lost", "lon": "14.79", "lat": "40.77", "contact_name_public": "yes"]
            for name in ["name", "breed", "colour", "marks", "description", "contact_name"] {
                fields[name] = Self.markup
            }
            let id = try await visitor.post(fields)
            let own = "/listings/\(id)"
            let noise = "?q=%22%3E%3Cxss%3E&place=%3Cxss&cursor=%22%3E%3Cxss&done=%3Cxss%3E&lang=%3Cxss&%3Cxss=%3Cxss"
            for path in [own, own + "/card", own + "/edit", own + "/delete", "/my", "/map?lon=14.79&lat=40.77"] {
                let page = try await visitor.get(path)
                #expect(page.status == 200 && page.html.contains("&lt;xss"), "\(path)")
                #expect(!page.html.contains("<xss"), "\(path)")
            }
            for path in ["/board", "/embed", "/map", "/account", "/nothing%3Cxss%3E"] {
                let page = try await visitor.get(path + noise)
                #expect(!page.html.contains("<xss"), "\(path)")
            }
        }
    }

    @Test("No link leads to another host")
    func links() async throws {
        try await RunningService.with { service in
            let page = try await Visitor(service).get("//evil.example/board")
            #expect(!page.html.contains("\"//"))
        }
    }

    @Test("Errors can be read by pages of other sites")
    func crossOriginErrors() async throws {
        try await RunningService.with { service in
            let elsewhere = ["Origin": "https://elsewhere.example"]
            for (method, path, status) in [
                ("GET", "/v1/listings/x", 404), ("POST", "/v1/listings", 401), ("POST", "/post", 403),
                ("GET", "/v1/listings?limit=0", 400),
            ] {
                let answer = try await service.send(method, path, headers: elsewhere)
                #expect(answer.status == status, "\(path)")
                #expect(answer.headers["access-control-allow-origin"] == "*", "\(path)")
            }
        }
    }

    @Test("A cookie is accepted only from pages of this site")
    func crossSiteCookies() async throws {
        try await RunningService.with { service in
            let visitor = Visitor(service)
            let path = "/v1/listings/\(try await visitor.post(["status": "lost", "place": "Salerno"]))"
            for (name, value) in [
                ("Origin", "https://evil.example"), ("Origin", "null"), ("Origin", "https://dogs.example.org.evil"),
                ("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Site", "cross-site"),
            ] {
                let headers = ["Cookie": visitor.cookie, name: value]
                #expect(try await service.send("DELETE", path, headers: headers).status == 401, "\(name): \(value)")
            }
            #expect(try await service.send("DELETE", path, headers: visitor.headers).status == 204)
        }
    }

    @Test("Contacts are hidden when a listing is closed or reunited")
    func contacts() async throws {
        try await RunningService.with { service in
            let visitor = Visitor(service)
            let contact = ["contact_phone": "089 1234567", "contact_phone_public": "yes"]
            let id = try await visitor.post(["status": "lost", "place": "Salerno"].merging(contact) { $1 })
            let paths = ["/listings/\(id)", "/v1/listings/\(id)", "/v1/listings?status=lost,found,reunited,closed"]
            for (status, isShown) in [("lost", true), ("reunited", false), ("closed", false), ("found", true)] {
                try await visitor.send("/listings/\(id)/status", ["status": status])
                for path in paths {
                    let page = try await Visitor(service).get(path)
                    #expect(page.html.contains("1234567") == isShown, "\(status) \(path)")
                }
                #expect(try await visitor.get("/listings/\(id)/edit").html.contains("1234567"))
            }
        }
    }

    @Test("A repeated form adds only what was missing")
    func repeatedForm() async throws {
        try await RunningService.with { service in
            let visitor = Visitor(service)
            let fields = ["key": UUID().uuidString, "status": "lost", "place": "Salerno"]
            let id = try await visitor.post(fields)
            #expect(try await visitor.post(fields, photos: 2) == id)
            #expect(try service.photoFiles() == 8)
            #expect(try await visitor.post(fields, photos: 2) == id)
            #expect(try service.photoFiles() == 8)
            let twice = fields.merging(["key": UUID().uuidString]) { $1 }
            async let first = visitor.post(twice, photos: 1)
            async let second = visitor.post(twice, photos: 1)
            let both = try await [first, second]
            #expect(both[0] == both[1])
            #expect(try service.photoFiles() == 12)
            #expect(try await visitor.get("/post").headers["cache-control"] == "no-store")
        }
    }

    @Test("A listing has at most six photos and is not changed if there would be more")
    func maxPhotos() async throws {
        try await RunningService.with { service in
            let visitor = Visitor(service)
            let fields = ["status": "lost", "place": "Salerno"]
            let id = try await visitor.post(fields, photos: 4)
            let form = fields.merging(["name": "Argo"]) { $1 }
            let refused = try await visitor.send("/listings/\(id)/edit", form, photos: 3)
            #expect(refused.status == 400 && refused.html.contains("id=\"error-photo\""))
            let shown = try await visitor.get("/listings/\(id)")
            #expect(!shown.html.contains("<h1>Argo"))
            let taken = try await visitor.send(
                "/listings/\(id)/edit",
                form.merging(["remove_photo": "2"]) { $1 },
                photos: 3
            )
            #expect(taken.status == 200 && taken.html.contains("<h1>Argo"))
            #expect(try service.photoFiles() == 24)
        }
    }

    @Test("A button of the form makes any photo the first one and keeps what was typed")
    func firstPhoto() async throws {
        try await RunningService.with(hasModel: false) { service in
            let visitor = Visitor(service)
            let fields = ["status": "lost", "place": "Salerno", "name": "Argo"]
            let id = try await visitor.post(fields, photos: 3)
            func photos() async throws -> [String] {
                let listing = try await service.send("GET", "/v1/listings/\(id)")
                return (0..<3).compactMap { listing.text("properties", "photos", "\($0)", "url") }
            }
            let form = try await visitor.get("/listings/\(id)/edit").html
            #expect(form.matches(of: /name="first_photo" value="([0-9])"/).map { String($0.1) } == ["2", "3"])
            // The key "Enter" in a field presses the first button of a form, which must not change the order.
            let firstButton = try #require(
                form.firstMatch(of: /(?s)data-post.*?(<button type="submit"[^>]*>)/)?.1)
            #expect(!firstButton.contains("first_photo"))
            let before = try await photos()
            let typed = fields.merging(["name": "Fido", "first_photo": "3"]) { $1 }
            let page = try await visitor.send("/listings/\(id)/edit", typed)
            #expect(page.status == 200 && page.html.contains("name=\"first_photo\"") && page.html.contains("Fido"))
            #expect(try await photos() == [before[2], before[0], before[1]])
            // A photo that is removed with the same form cannot be the first one.
            let removed = fields.merging(["remove_photo": "2", "first_photo": "2"]) { $1 }
            #expect(try await visitor.send("/listings/\(id)/edit", removed).status == 200)
            #expect(try await photos() == [before[2], before[1]])
            #expect(try await visitor.post(fields, photos: 1) != id)
            #expect(!(try await visitor.get("/post").html.contains("first_photo")))
        }
    }

    @Test("The detail of outlines is limited to the resolution of a screen")
    func outlines() async throws {
        try await RunningService.with { service in
            let world = try await service.send("GET", "/map/outlines?bbox=-180,-90,180,90&zoom=24")
            #expect(world.status == 200 && world.body.count < 2 << 20)
        }
    }
}

/// A visitor whose browser keeps the cookie.
private struct Visitor: Sendable {
    let service: RunningService
    let cookie: String

    init(_ service: RunningService) {
        self.service = service
        let token = (0..<43).compactMap { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() }
        cookie = "__Host-doggofinder=" + String(token)
    }

    var headers: [String: String] {
        ["Cookie": cookie, "Origin": "https://dogs.example.org", "Accept": "text/html"]
    }

    func get(_ path: String) async throws -> RunningService.Answer {
        try await service.send("GET", path, headers: headers)
    }

    /// Sends the form and returns the page that follows.
    @discardableResult
    func send(_ path: String, _ fields: [String: String], photos: Int = 0) async throws -> RunningService.Answer {
        var body = Data()
        for (name, value) in fields {
            body += Data("--X-y\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        for _ in 0..<photos {
            body += Data("--X-y\r\nContent-Disposition: form-data; name=photo; filename=a.png\r\n\r\n".utf8)
            body += Data(try plainPNG(width: 60, height: 40)) + Data("\r\n".utf8)
        }
        body += Data("--X-y--".utf8)
        let type = ["Content-Type": "multipart/form-data; boundary=X-y"]
        return try await service.send("POST", path, bytes: body, nil, headers.merging(type) { $1 })
    }

    /// Posts a listing and returns its id.
    func post(_ fields: [String: String], photos: Int = 0) async throws -> String {
        let page = try await send("/post", fields, photos: photos)
        guard page.status == 200, let id = page.html.firstMatch(of: /\/listings\/([0-9a-f-]{36})/)?.1 else {
            throw TestFailure("\(page.status) \(page.html)")
        }
        return String(id)
    }
}

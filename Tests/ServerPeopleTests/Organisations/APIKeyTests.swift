import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("API keys")
struct APIKeyTests {
    private typealias Setup = OrganisationRoutesTests

    private static func key(
        _ service: RunningService,
        _ path: String,
        _ scopes: [APIKey.Scope],
        _ manager: String,
        _ more: String = ""
    ) async throws -> (id: String, token: String) {
        let names = scopes.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let body = #"{"name": "software", "scopes": [\#(names)]\#(more)}"#
        let answer = try await service.send("POST", "\(path)/keys", body, token: manager)
        return (try answer.created("id"), try answer.created("token"))
    }

    @Test("A key acts as the organisation within its scopes")
    func acting() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await Setup.make(service)
            let (id, token) = try await Self.key(service, path, [.listingsRead, .listingsWrite], anna)
            #expect(token.hasPrefix("dgf_") && token.count == 47)
            let listed = try await service.send("GET", "\(path)/keys", token: anna)
            #expect(listed.text("keys", "0", "id") == id && !listed.html.contains(token))
            let listing = try await service.post(#"{"status": "found", "place": "Salerno"}"#, token)
            let shown = try await service.send("GET", "/v1/listings/\(listing)")
            #expect(shown.text("properties", "organisation", "id") == String(path.suffix(36)))
            let own = try await service.send("GET", "/v1/me/listings", token: token)
            #expect(own.text("features", "0", "id") == listing)
            #expect(try await service.send("HEAD", "/v1/me/listings", token: token).status == 200)
            #expect(try await service.send("GET", "/v1/statistics?by=month", token: token).status == 403)
            #expect(try await service.send("DELETE", "/v1/listings/\(listing)", token: token).status == 204)
            let annas = try await service.post(#"{"status": "lost", "place": "Salerno"}"#, anna)
            #expect(try await service.send("DELETE", "/v1/listings/\(annas)", token: token).status == 403)
        }
    }

    @Test("Every route of the matrix refuses keys outside of its scope, and changes nothing")
    func scopes() async throws {
        try await RunningService.with(hasModel: false, limits: RateLimits(factor: 0, proxies: .none)) { service in
            let scene = try await AuthorisationScene(filling: service)
            let path = "/v1/organisations/\(scene.things["organisation"] ?? "")"
            let manager = try #require(scene.tokens[.owner]?.first)
            let routes = service.routes
            #expect(Set(APIKey.Scope.routes.keys).subtracting(routes) == [])
            for scope in APIKey.Scope.allCases {
                let token = try await Self.key(service, path, [scope], manager).token
                var before = try await scene.rows()
                let sender = ["Authorization": "Bearer \(token)"]
                for row in AuthorisationMatrix.rows {
                    guard let route = AuthorisationMatrix.route(of: row, routes) else { continue }
                    let isOpen = APIKey.Scope.routes[route] == scope
                    guard row.method == "GET" || !isOpen, !route.hasSuffix("/stream") else { continue }
                    let answer = try await scene.send(row, sender)
                    // The route of metrics knows no keys.
                    let isRefused = answer.status == (route == "GET /metrics" ? 401 : 403)
                    // Records are for the owners of animals, and the organisation is not the owner of these.
                    let isOthers = route == "GET /v1/listings/{id}/record" && !answer.html.contains("scope")
                    let isReached = answer.status < 400 || answer.status == 404 || isOthers && isRefused
                    #expect(isOpen ? isReached : isRefused, "\(route)")
                    guard row.method != "GET" else { continue }
                    let after = try await scene.rows()
                    for (table, rows) in before { #expect(after[table] == rows, "\(route): \(table)") }
                    before = after
                }
            }
        }
    }

    @Test("Expired, revoked and unknown keys, and those of former managers, are refused")
    func ended() async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading) { service in
            let (anna, path) = try await Setup.make(service)
            func status(_ token: String) async throws -> Int {
                try await service.send("GET", "/v1/me/listings", token: token).status
            }
            let revoked = try await Self.key(service, path, [.listingsRead], anna)
            #expect(try await status(revoked.token) == 200)
            #expect(try await service.send("DELETE", "\(path)/keys/\(revoked.id)", token: anna).status == 204)
            #expect(try await status(revoked.token) == 401)
            #expect(try await status("dgf_" + String(repeating: "x", count: 43)) == 401)

            let bruno = try await Setup.join(service, path, "bruno", "manager", anna)
            let me = try #require(try await service.send("GET", "/v1/me", token: bruno).text("id"))
            let demoted = try await Self.key(service, path, [.listingsRead], bruno).token
            let volunteer = #"{"role": "volunteer"}"#
            #expect(try await service.send("PATCH", "\(path)/members/\(me)", volunteer, token: anna).status == 204)
            #expect(try await status(demoted) == 401)
            let manager = #"{"role": "manager"}"#
            #expect(try await service.send("PATCH", "\(path)/members/\(me)", manager, token: anna).status == 204)
            #expect(try await status(demoted) == 401)

            let admin = try await service.admin()
            let former = try await Self.key(service, path, [.listingsRead], bruno).token
            let ban = "/v1/admin/accounts/\(me)"
            #expect(try await service.send("POST", "\(ban)/ban", "{}", token: admin).status == 204)
            #expect(try await status(former) == 401)
            #expect(try await service.send("POST", "\(ban)/unban", "{}", token: admin).status == 204)
            #expect(try await status(former) == 200)
            #expect(try await service.send("DELETE", "\(path)/members/\(me)", token: anna).status == 204)
            #expect(try await status(former) == 401)

            let late = try await Self.key(service, path, [.listingsRead], anna).token
            let organisation = "/v1/admin/accounts/\(path.suffix(36))"
            #expect(try await service.send("POST", "\(organisation)/ban", "{}", token: admin).status == 204)
            #expect(try await status(late) == 403)
            #expect(try await service.send("POST", "\(organisation)/unban", "{}", token: admin).status == 204)
            clock.advance(days: 366)
            #expect(try await status(late) == 401)
        }
    }

    @Test("Keys with a wrong name, scope or end are refused, and the field is named")
    func invalid() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await Setup.make(service)
            for (body, field) in [
                (#"{"scopes": ["listings:read"]}"#, "name"), (#"{"name": "k"}"#, "scopes"),
                (#"{"name": "k", "scopes": []}"#, "scopes"), (#"{"name": "k", "scopes": ["all"]}"#, "scopes"),
                (#"{"name": "k", "scopes": ["listings:read"], "expires_at": "2000-01-01"}"#, "expires_at"),
                (#"{"name": "k", "scopes": ["listings:read"], "expires_at": "2100-01-01"}"#, "expires_at"),
                (#"{"name": "k", "scopes": ["listings:read"], "account": "x"}"#, "account"),
            ] {
                let answer = try await service.send("POST", "\(path)/keys", body, token: anna)
                #expect(answer.status == 400 && answer.text("field") == field, "\(body)")
            }
        }
    }
}

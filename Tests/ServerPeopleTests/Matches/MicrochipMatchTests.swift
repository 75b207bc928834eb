import Domain
import Foundation
import HTTP
import Server
import ServerSupport
import TestSupport
import Testing

@Suite("Matches by microchip")
struct MicrochipMatchTests {
    private static func listing(_ status: String, _ number: String, lon: Double = 14.79) -> String {
        #"{"status": "\#(status)", "species": "dog", "lon": \#(lon), "lat": 40.77, "microchip": "\#(number)"}"#
    }

    private static let number = "380260000000042"

    @Test("Both owners are told of an equal microchip, on the page too, and nobody else")
    func owners() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, finder) = (try await service.guest(), try await service.guest())
            let lost = try await service.post(Self.listing("lost", "3802 6000 0000 042"), owner)
            let found = try await service.post(Self.listing("found", Self.number, lon: 16), finder)
            for (own, other, token) in [(lost, found, owner), (found, lost, finder)] {
                let told = try await service.send("GET", "/v1/listings/\(own)/matches", token: token)
                #expect(told.text("matches", "0", "listing", "id") == other)
                #expect(told.html.contains(#""kind":"microchip","level":"equal""#))
                #expect(!told.html.contains("3802"), "the number itself is not shown")
                let page = try await service.send(
                    "GET",
                    "/listings/\(own)",
                    token: token,
                    headers: ["Accept": "text/html", "Accept-Language": "en"]
                )
                #expect(page.html.contains("The same microchip"))
            }
            for token in [nil, try await service.guest(), try await service.admin("ada@example.org"), finder] {
                let answer = try await service.send("GET", "/v1/listings/\(lost)/matches", token: token)
                #expect(answer.status == 200 && !answer.html.contains("microchip"))
                #expect(answer["considered"] == .number(0), "the listing is too far away for others")
            }
        }
    }

    @Test("Setting numbers on one's listings is limited, by new listings and by edits together")
    func guessing() async throws {
        let limits = RateLimits(factor: 1, proxies: try TrustedProxies(parsing: "loopback"), maxDelay: .zero)
        try await RunningService.with(hasModel: false, limits: limits) { service in
            let account = try await service.guest()
            let address = ["X-Forwarded-For": "192.0.2.7"]
            func post(_ last: Int) async throws -> RunningService.Answer {
                let body = Self.listing("found", "3802600000001\(10 + last)")
                return try await service.send("POST", "/v1/listings", body, token: account, headers: address)
            }
            func edit(_ id: String, _ number: String) async throws -> RunningService.Answer {
                let headers = ["If-Match": "*", "Content-Type": "application/merge-patch+json"].merging(address) { $1 }
                let body = #"{"microchip": "\#(number)"}"#
                return try await service.send("PATCH", "/v1/listings/\(id)", body, token: account, headers: headers)
            }
            let id = try #require(try await post(0).text("id"))
            for last in 1..<30 {
                let answer = try await edit(id, "3802600000001\(10 + last)")
                #expect(answer.status == 200, "\(last)")
            }
            for refused in [try await post(31), try await edit(id, "380260000000199")] {
                #expect(refused.status == 429 && refused.headers["retry-after"] != nil)
                #expect(refused.headers["ratelimit-policy"] == "\"microchip-listing\";q=30;w=3600")
            }
            // The same number again, other fields and listings without a number do not count.
            #expect(try await edit(id, "380260000000139").status == 200)
            let unsaid = #"{"status": "found", "lon": 14.79, "lat": 40.77}"#
            let posted = try await service.send("POST", "/v1/listings", unsaid, token: account, headers: address)
            #expect(posted.status == 201)
        }
    }
}

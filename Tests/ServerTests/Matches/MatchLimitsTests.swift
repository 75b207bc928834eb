import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Limits of matches")
struct MatchLimitsTests {
    @Test("Matches with many candidates use up the budget of reads sooner, and are then refused with a time to retry")
    func cost() async throws {
        // 200 ms of work.
        let limits = RateLimits(
            factor: 0.02,
            proxies: try TrustedProxies(parsing: "loopback"),
            maxDelay: .milliseconds(1)
        )
        try await RunningService.with(hasModel: false, limits: limits) { service in
            let owner = try await service.board.guest()
            func post(_ lon: Double, _ status: Listing.Status) async throws -> Listing {
                let draft = try ListingStore.Draft.at(lon, 40.77, status) { $0.breed = "Beagle" }
                return try await service.board.listings.create(draft, owner: owner)
            }
            let (crowded, lonely) = (try await post(14.79, .lost), try await post(-100, .lost))
            for number in 0..<900 { _ = try await post(14.79 + Double(number) / 10_000, .found) }
            /// The number of requests that are answered.
            func answered(_ listing: Listing, _ address: String) async throws -> Int {
                let path = "/v1/listings/\(listing.id.uuidString.lowercased())/matches"
                for number in 0..<500 {
                    let answer = try await service.send("GET", path, headers: ["X-Forwarded-For": address])
                    guard answer.status == 429 else { continue }
                    #expect(answer.headers["retry-after"] != nil)
                    #expect(answer.headers["ratelimit-policy"]?.hasPrefix("\"read\"") == true)
                    return number
                }
                return 500
            }
            let (many, none) = (try await answered(crowded, "1.1.1.1"), try await answered(lonely, "2.2.2.2"))
            #expect(many < none / 2, "\(many) \(none)")
        }
    }
}

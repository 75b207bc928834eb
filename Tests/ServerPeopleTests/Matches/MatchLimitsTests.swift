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
            func request(_ listing: Listing, from address: String) async throws -> RunningService.Answer {
                let path = "/v1/listings/\(listing.id.uuidString.lowercased())/matches"
                return try await service.send("GET", path, headers: ["X-Forwarded-For": address])
            }
            /// The milliseconds that a request of a new address costs.
            func cost(_ listing: Listing, from address: String) async throws -> Int {
                let answer = try await request(listing, from: address)
                let state = try #require(answer.headers["ratelimit"]?.wholeMatch(of: /"read";r=(\d+);t=\d+/))
                return 200 - (try #require(Int(state.1)))
            }
            // The least of many costs, because other work of the machine only adds to the time.
            var (many, none) = (Int.max, Int.max)
            for number in 1...100 {
                many = min(many, try await cost(crowded, from: "1.1.1.\(number)"))
                none = min(none, try await cost(lonely, from: "2.2.2.\(number)"))
            }
            #expect(many > 2 * none, "\(many) \(none)")
            var refused: RunningService.Answer?
            for _ in 0..<500 where refused == nil {
                let answer = try await request(crowded, from: "3.3.3.3")
                if answer.status == 429 { refused = answer }
            }
            #expect(refused?.headers["retry-after"] != nil)
            #expect(refused?.headers["ratelimit-policy"]?.hasPrefix("\"read\"") == true)
        }
    }
}

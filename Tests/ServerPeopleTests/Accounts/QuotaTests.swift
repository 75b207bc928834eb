import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Quotas")
struct QuotaTests {
    private static let lost = #"{"status": "lost", "lon": 10, "lat": 45}"#

    @Test("Concurrent posts of a guest stop at the quota, and a closed listing frees a place")
    func listings() async throws {
        try await RunningService.with(hasModel: false, quota: .standard) { service in
            let token = try await service.guest()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        let key = number.isMultiple(of: 2) ? ["Idempotency-Key": "\"\(number)\""] : [:]
                        return try await service.send("POST", "/v1/listings", Self.lost, token: token, headers: key)
                            .status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 201 }.count == 5 && statuses.filter { $0 == 403 }.count == 7)
            let mine = try await service.send("GET", "/v1/me/listings", token: token)
            #expect(mine.features.count == 5)
            let id = try #require(mine.text("features", "0", "id"))
            let closed = try await service.send("PATCH", "/v1/listings/\(id)", #"{"status": "closed"}"#, token: token)
            #expect(closed.status == 200)
            _ = try await service.post(Self.lost, token)
            // Open listings can be edited, but another one cannot be reopened.
            let reopened = try await service.send("PATCH", "/v1/listings/\(id)", #"{"status": "lost"}"#, token: token)
            #expect(
                reopened.status == 403 && reopened.text("detail") == "expected at most 5 open listings of one guest"
            )
            let other = try #require(mine.text("features", "1", "id"))
            let edited = try await service.send("PATCH", "/v1/listings/\(other)", #"{"name": "X"}"#, token: token)
            #expect(edited.status == 200)
        }
    }

    @Test("Registered users have a larger quota, and admins and imports have none")
    func roles() async throws {
        try await RunningService.with(hasModel: false, quota: .standard) { service in
            let guest = try await service.guest()
            for _ in 0..<5 { _ = try await service.post(Self.lost, guest) }
            let user = try await service.register("anna@example.org", guest: guest)
            _ = try await service.post(Self.lost, user)
            let account = try #require(try await service.board.accounts.findAccount(email: "anna@example.org"))
            let known = try await service.board.search.find(ListingQuery())
            let entry = try #require(known.entries.first?.listing)
            let drafts = (0..<100).map { _ in ListingStore.Draft(content: entry.content, location: entry.location) }
            #expect(try await service.board.listings.put(drafts, owner: account).created == 100)
            #expect(try await service.send("POST", "/v1/listings", Self.lost, token: user).status == 403)
            try await service.board.accounts.setRole(account, .admin)
            _ = try await service.post(Self.lost, user)
        }
    }

    @Test("Photos are counted for the whole account, and a replacement does not count")
    func photos() async throws {
        let board = try await TestDatabase()
        let account = try await board.guest()
        let store = PhotoStore(board.database, quota: Quota(factor: 0.1))
        let listing = try await board.listings.create(try .at(1, 1), owner: account)
        func put(_ number: Int) async throws -> Bool {
            try await store.put(
                StoredPhoto(id: UUID(), width: 1, height: 1),
                .listing(listing.key, number: number)
            )
        }
        for number in 1...3 { #expect(try await !put(number)) }
        #expect(try await put(2))
        await #expect { try await put(4) } throws: { ($0 as? ServiceError)?.code == .quotaExceeded }
        #expect(try store.ids().count == 3)
    }

    @Test("A form that exceeds the quota keeps its contents and shows the reason")
    func form() async throws {
        try await RunningService.with(hasModel: false, quota: .standard) { service in
            let token = try await service.guest()
            for _ in 0..<5 { _ = try await service.post(Self.lost, token) }
            let answer = try await service.send(
                "POST",
                "/post",
                "status=lost&place=Salerno&name=Argo",
                token: token,
                headers: ["Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"]
            )
            let page = String(decoding: answer.body, as: UTF8.self)
            #expect(answer.status == 400 && page.contains("the maximum number of listings") && page.contains("Argo"))
        }
    }
}

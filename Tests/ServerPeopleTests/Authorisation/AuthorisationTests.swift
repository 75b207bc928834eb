import Domain
import Foundation
import Server
import ServerSupport
import TestSupport
import Testing

@Suite("Authorisation")
struct AuthorisationTests {
    private static let off = RateLimits(factor: 0, proxies: .none)

    @Test("The matrix covers every route")
    func everyRoute() async throws {
        try await RunningService.with(hasModel: false) { service in
            let routes = service.routes
            let covered = AuthorisationMatrix.rows.map { AuthorisationMatrix.route(of: $0, routes) }
            #expect(!covered.contains(nil))
            #expect(Set(routes).subtracting(covered.compactMap(\.self)) == [])
        }
    }

    @Test("Reading discloses to each caller what they may see, and no secrets of others")
    func reading() async throws {
        try await RunningService.with(hasModel: false, limits: Self.off) { service in
            let scene = try await AuthorisationScene(filling: service)
            var told: Set<String> = []
            for row in AuthorisationMatrix.rows where row.method == "GET" {
                for caller in Caller.allCases {
                    for sender in scene.tokens(of: caller) + (row.isPage ? scene.cookies(of: caller) : []) {
                        let answer = try await scene.send(row, sender)
                        let expected = row.statuses(caller, byCookie: sender["Cookie"] != nil)
                        #expect(expected.contains(answer.status), "\(row.path) as \(caller): \(answer.status)")
                        for secret in try scene.secrets(in: answer, to: row) {
                            let mayRead = secret.readers.contains(caller)
                            #expect(mayRead, "\(row.path) tells \(caller) \(secret.what)")
                            told.insert(secret.what)
                        }
                    }
                }
            }
            // Each secret is disclosed to at least one of its readers, so the search for traces works.
            #expect(Set(scene.secrets.filter { !$0.readers.isEmpty }.map(\.what)).subtracting(told) == [])
        }
    }

    @Test("Refused and cross-site requests change nothing")
    func refusedRequests() async throws {
        try await RunningService.with(hasModel: false, limits: Self.off) { service in
            let scene = try await AuthorisationScene(filling: service)
            let elsewhere = ["Origin": "https://evil.example"]
            var before = try await scene.rows()
            for row in AuthorisationMatrix.rows where row.method != "GET" {
                var attempts = Caller.allCases.filter { row.refuses($0) }
                    .flatMap { caller in scene.tokens(of: caller).map { ($0, row.statuses(caller, byCookie: false)) } }
                if row.isPage || row.refuses(.nobody) {
                    // The links in mails work from elsewhere.
                    let isRefused = row.isPage && !row.path.hasPrefix("/unsubscribe/")
                    let refusal = isRefused ? [403] : row.statuses(.nobody, byCookie: false)
                    attempts += Caller.allCases.flatMap { scene.cookies(of: $0) }
                        .map { ($0.merging(elsewhere) { $1 }, refusal) }
                }
                for (sender, expected) in attempts {
                    let answer = try await scene.send(row, sender)
                    #expect(expected.contains(answer.status), "\(row.method) \(row.path) \(sender): \(answer.status)")
                }
                let after = try await scene.rows()
                for (table, rows) in before { #expect(after[table] == rows, "\(row.method) \(row.path): \(table)") }
                before = after
            }
        }
    }

    @Test("Permitted requests succeed")
    func permittedRequests() async throws {
        let filled = try await TestDatabase()
        var scene: AuthorisationScene?
        try await RunningService.with(board: filled, hasModel: false, limits: Self.off) {
            scene = try await AuthorisationScene(filling: $0)
        }
        let model = try #require(scene)
        for row in AuthorisationMatrix.rows
        where row.method != "GET" && Caller.allCases.contains(where: { !row.refuses($0) }) {
            let board = try await TestDatabase(copying: filled)
            try await RunningService.with(board: board, hasModel: false, limits: Self.off) { service in
                let scene = AuthorisationScene(service, like: model)
                for caller in Caller.allCases where !row.refuses(caller) {
                    let answer = try await scene.send(row, scene.tokens(of: caller)[0])
                    let expected = row.statuses(caller, byCookie: false)
                    #expect(expected == [answer.status], "\(row.method) \(row.path) as \(caller)")
                }
            }
        }
    }
}

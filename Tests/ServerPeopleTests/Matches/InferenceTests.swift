import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import Server

/// What an attacker learns of a secret in another person's listing. Each attack runs on two services that differ in
/// nothing but the secret. All answers that it gets must be equal, but for ids, keys and times.
@Suite("Inference attacks")
struct InferenceTests {
    /// The secrets of the victim, who looks for a dog.
    private struct Secrets {
        var microchip = "380260000000001"
        /// Points of one cell of 500 m.
        var home = (lon: 14.793211, lat: 40.771934)
        var sighting = (lon: 14.801357, lat: 40.781357)
    }

    /// The attacker's view of one service.
    private struct Attack {
        let service: RunningService
        let attacker: String
        /// The id of the attacker's listing of a found dog.
        let own: String
        let victim: String
        var answers: [String] = []

        /// - Parameter now: the time of the service.
        init(_ service: RunningService, _ secrets: Secrets, now: Timestamp) async throws {
            self.service = service
            let owner = try await service.guest()
            let lost = Timestamp(milliseconds: now.milliseconds - 7_200_000).text
            let seenAt = Timestamp(milliseconds: now.milliseconds - 3_600_000).text
            victim = try await service.post(
                """
                {"status": "lost", "name": "Argo", "breed": "Beagle", "lon": \(secrets.home.lon), "lat": \(secrets.home.lat),
                 "microchip": "\(secrets.microchip)", "last_seen_at": "\(lost)"}
                """,
                owner
            )
            let seen = """
                {"lon": \(secrets.sighting.lon), "lat": \(secrets.sighting.lat), "text": "By the river", "seen_at": "\(seenAt)"}
                """
            for state in ["confirmed", "proposed", "dismissed"] {
                let sightings = "/v1/listings/\(victim)/sightings"
                let added = try await service.send("POST", sightings, seen, token: try await service.guest())
                let id = try #require(added.text("id"))
                let decision = #"{"state": "\#(state)"}"#
                _ = try await service.send("PATCH", "\(sightings)/\(id)", decision, token: owner)
            }
            attacker = try await service.guest()
            own = try await service.post(
                #"{"status": "found", "breed": "Beagle", "lon": 14.8, "lat": 40.78, "last_seen_at": "\#(lost)"}"#,
                attacker
            )
            // The first answer of the victim to the attacker.
            let yes = #"{"answer": "yes"}"#
            _ = try await service.send("PUT", "/v1/listings/\(victim)/matches/\(own)", yes, token: owner)
        }

        /// Changes the attacker's own listing.
        mutating func edit(_ body: String) async throws {
            let answer = try await service.send("PATCH", "/v1/listings/\(own)", body, token: attacker)
            #expect(answer.status == 200, "\(body)")
            await note("PATCH", answer)
        }

        /// Reads everything that is computed from more than one listing, and the victim's listing.
        mutating func read() async throws {
            let paths =
                [own, victim].flatMap { id in
                    [
                        "", "/matches", "/matches?minimum_probability=0.9", "/matches?side=same", "/timeline",
                        "/sightings", "/search-area",
                    ]
                    .map { "/v1/listings/\(id)\($0)" } + ["/listings/\(id)", "/listings/\(id)/matches"]
                } + [
                    "/v1/listings", "/v1/listings/count?lon=14.79&lat=40.77&radius=900",
                    "/v1/listings?q=380260000000001",
                    "/v1/listings?lon=14.7901&lat=40.7701&radius=5000", "/v1/me/conversations", "/v1/me", "/inbox",
                    "/my",
                    "/collections/listings/items?filter=name%3D%27Argo%27", "/v1/listings.csv", "/sitemap/lost/0",
                ]
            for path in paths {
                let headers = path.hasPrefix("/v1") || path.hasPrefix("/coll") ? [:] : ["Accept": "text/html"]
                let isOwn = ["/v1/me", "/v1/me/conversations", "/inbox", "/my"].contains(path)
                for token in isOwn ? [attacker] : [attacker, nil] {
                    let answer = try await service.send("GET", path, token: token, headers: headers)
                    await note(path, answer)
                    guard let tag = answer.headers["etag"] else { continue }
                    let again = ["If-None-Match": tag].merging(headers) { $1 }
                    await note(path, try await service.send("GET", path, token: token, headers: again))
                }
            }
        }

        /// Whether the victim's listing changes with an edit of the attacker's one.
        mutating func watch(_ edit: String) async throws {
            let path = "/v1/listings/\(victim)"
            let tag = try await service.send("GET", path).headers["etag"] ?? ""
            try await self.edit(edit)
            let again = try await service.send("GET", path, headers: ["If-None-Match": tag])
            #expect(again.status == 304)
        }

        private mutating func note(_ what: String, _ answer: RunningService.Answer) async {
            let isPaced = ["ratelimit", "date", "etag", "x-request-id", "last-modified", "server-timing", "location"]
            let headers = answer.headers.filter { !isPaced.contains($0.key) }.map { "\($0.key): \($0.value)" }.sorted()
            answers.append("\(what) \(answer.status) \(headers) \(String(decoding: answer.body, as: UTF8.self))")
        }

        /// Ids, codes, times, numbers and sizes that differ at random.
        private static let random = [
            "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            #"(%2F)?[\#(ListingCode.alphabet)]{3}-?[\#(ListingCode.alphabet)]{4}"#,
            #"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{5,8}(\.[0-9]+)?Z?"#,
            "[0-9]{1,2} [A-Z][a-z]+ [0-9]{4} at [0-9]{1,2}:[0-9]{2}",
            #"v=[0-9]+|"version":[0-9]+|127\.0\.0\.1:[0-9]+|"hours":[0-9.]+|ETag: [^ ]*|content-length: [0-9]+"#,
        ].joined(separator: "|")

        /// The answers without what differs at random.
        var transcript: [String] {
            answers.map { $0.replacingOccurrences(of: Self.random, with: "…", options: .regularExpression) }
        }
    }

    /// Expects the same answers for all secrets.
    private func expectSame(
        _ secrets: [Secrets],
        _ attack: (inout Attack) async throws -> Void
    ) async throws {
        var transcripts: [[String]] = []
        let now = Timestamp.now
        let clock: @Sendable () -> Timestamp = { now }
        for secret in secrets {
            let limits = RateLimits(factor: 0, proxies: .none)
            try await RunningService.with(hasModel: false, limits: limits, now: clock) { service in
                var run = try await Attack(service, secret, now: now)
                try await attack(&run)
                transcripts.append(run.transcript)
            }
        }
        let first = try #require(transcripts.first)
        #expect(first.count > 50)
        for other in transcripts.dropFirst() {
            #expect(other.count == first.count)
            for (one, two) in zip(first, other) where one != two {
                let same = zip(one, two).prefix { $0 == $1 }.count
                let parts = [one, two].map { $0.prefix(60) + " ... " + $0.dropFirst(max(0, same - 60)).prefix(160) }
                Issue.record("\(parts)")
            }
        }
    }

    private static let microchips = ["380260000000001", "0123456789"]
    /// Numbers that neither victim has. An equal number is told to both owners; see `MicrochipMatchTests`.
    private static let guesses = ["380260000000002", "380260000000003", "FEDCBA9876"]

    @Test("No sequence of wrong microchip numbers on one's own listing tells the number of another listing")
    func microchips() async throws {
        try await expectSame(Self.microchips.map { Secrets(microchip: $0) }) { attack in
            try await attack.read()
            for number in Self.guesses {
                try await attack.watch(#"{"microchip": "\#(number)"}"#)
                try await attack.read()
            }
            // The same with the two listings closed, reopened and on the other side.
            for status in ["closed", "found"] {
                try await attack.watch(#"{"status": "\#(status)", "microchip": "\#(Self.guesses[0])"}"#)
                try await attack.read()
            }
            try await attack.watch(#"{"microchip": null}"#)
            try await attack.read()
        }
    }

    @Test("Moving one's own listing does not tell where in its cell another one is")
    func trilateration() async throws {
        let homes = [(lon: 14.793211, lat: 40.771934), (lon: 14.7945, lat: 40.7735)]
        let cells = homes.compactMap { Coordinate(lon: $0.lon, lat: $0.lat)?.cellCentre }
        try #require(Set(cells.map { "\($0)" }).count == 1)
        try await expectSame(homes.map { Secrets(home: $0) }) { attack in
            try await attack.read()
            for (lon, lat) in [(14.7932, 40.7719), (14.7, 40.7), (14.79, 41.2)] {
                for precision in ["exact", "approximate"] {
                    let place = #""lon": \#(lon), "lat": \#(lat), "location_precision": "\#(precision)""#
                    try await attack.watch("{\(place)}")
                    try await attack.read()
                }
            }
        }
    }

    @Test("Strangers' circles and lists follow from the cells of sightings only")
    func sightings() async throws {
        let points = [(lon: 14.801357, lat: 40.781357), (lon: 14.8025, lat: 40.7822)]
        let cells = points.compactMap { Coordinate(lon: $0.lon, lat: $0.lat)?.cellCentre }
        try #require(Set(cells.map { "\($0)" }).count == 1)
        try await expectSame(points.map { Secrets(sighting: $0) }) { attack in
            try await attack.read()
            // A sighting by the attacker does not tell where the others are.
            let sightings = "/v1/listings/\(attack.victim)/sightings"
            for lon in [14.8014, 14.81] {
                let body = #"{"lon": \#(lon), "lat": 40.7813}"#
                _ = try await attack.service.send("POST", sightings, body, token: attack.attacker)
                try await attack.read()
            }
        }
    }

    @Test("The attack notices a secret that is told")
    func control() async throws {
        var told: [String] = []
        let now = Timestamp.now
        let clock: @Sendable () -> Timestamp = { now }
        for home in [(lon: 14.793211, lat: 40.771934), (lon: 14.82, lat: 40.771934)] {
            try await RunningService.with(hasModel: false, now: clock) { service in
                var attack = try await Attack(service, Secrets(home: home), now: now)
                try await attack.read()
                told.append(attack.transcript.joined())
            }
        }
        #expect(told[0] != told[1])
    }
}

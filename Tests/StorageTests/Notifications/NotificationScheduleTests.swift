import Domain
import Foundation
import Testing

@Suite("Schedule of notifications")
struct NotificationScheduleTests {
    private static let rome = TimeZone(identifier: "Europe/Rome") ?? .gmt

    private static func time(
        _ now: String,
        probability: Double? = nil,
        told: Int = 0,
        _ change: (inout NotificationSettings) -> Void = { _ in }
    ) throws -> NotificationSchedule.Time {
        var settings = NotificationSettings()
        change(&settings)
        let schedule = NotificationSchedule(at: try #require(Timestamp(parsing: now)), in: rome)
        return schedule.time(probability: probability, told: told, settings)
    }

    private static func summary(_ time: String) throws -> NotificationSchedule.Time {
        .summary(try #require(Timestamp(parsing: time)))
    }

    @Test("Three findings of searches and ten likely matches are told at once on one day")
    func limits() throws {
        #expect(try Self.time("2026-05-01T10:00:00Z", told: 2) == .now)
        #expect(try Self.time("2026-05-01T10:00:00Z", told: 3) == Self.summary("2026-05-02T06:00:00Z"))
        #expect(try Self.time("2026-05-01T10:00:00Z", probability: 0.1, told: 9) == .now)
        #expect(
            try Self.time("2026-05-01T10:00:00Z", probability: 0.9, told: 10) == Self.summary("2026-05-02T06:00:00Z")
        )
        #expect(try Self.time("2026-05-01T10:00:00Z", probability: 0.09) == Self.summary("2026-05-02T06:00:00Z"))
    }

    @Test("The night ends at seven, and only very likely matches are told before, if the reader wants")
    func night() throws {
        #expect(try Self.time("2026-05-01T19:59:59Z") == .now)
        #expect(try Self.time("2026-05-01T20:00:00Z") == Self.summary("2026-05-02T05:00:00Z"))
        #expect(try Self.time("2026-05-02T04:59:59Z") == Self.summary("2026-05-02T05:00:00Z"))
        #expect(try Self.time("2026-05-02T05:00:00Z") == .now)
        #expect(try Self.time("2026-05-02T00:00:00Z", probability: 0.5) == .now)
        #expect(try Self.time("2026-05-02T00:00:00Z", probability: 0.49) == Self.summary("2026-05-02T05:00:00Z"))
        let unwanted = try Self.time("2026-05-02T00:00:00Z", probability: 0.9) { $0.likelyAtOnce = false }
        #expect(try unwanted == Self.summary("2026-05-02T05:00:00Z"))
    }

    @Test("A daily summary comes at the reader's hour, also when summer time ends before")
    func summary() throws {
        let evening = try Self.time("2026-10-24T20:30:00Z", probability: 0.3) {
            ($0.frequency, $0.summaryHour) = (.daily, 19)
        }
        #expect(try evening == Self.summary("2026-10-25T18:00:00Z"))
        // At the hour itself, the next one is that of the next day.
        let hour = try Self.time("2026-05-01T06:00:00Z") { $0.frequency = .daily }
        #expect(try hour == Self.summary("2026-05-02T06:00:00Z"))
        #expect(try Self.time("2026-10-24T21:00:00Z") == Self.summary("2026-10-25T06:00:00Z"))
    }

    @Test("The day is that of the place")
    func day() throws {
        let now = try #require(Timestamp(parsing: "2026-05-01T22:30:00Z"))
        #expect(NotificationSchedule(at: now, in: Self.rome).day == "2026-05-02")
    }
}

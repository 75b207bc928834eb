import Domain
import Foundation
import OpeningHours
import Testing

@Suite("Opening hours")
struct OpeningHoursTests {
    private static let hours = OpeningHours(country: "IT")
    private let salerno: Coordinate
    private let rome: TimeZone

    init() throws {
        salerno = try #require(Coordinate(lon: 14.77, lat: 40.68))
        rome = try #require(TimeZone(identifier: "Europe/Rome"))
    }

    private func state(_ value: String, _ time: String, in country: String? = "IT") throws -> OpeningState? {
        Self.hours.state(of: value, at: salerno, in: country, zone: rome, try #require(Timestamp(parsing: time)))
    }

    @Test(
        "The state, its end and the next one are told by the clocks of the place",
        arguments: [
            // Wednesday; the clocks are an hour ahead of Greenwich in winter.
            (
                "Mo-Fr 09:00-13:00,16:00-19:00; Sa 09:00-12:00", "2026-11-25T09:30:00Z",
                "open 2026-11-25T12:00:00.000Z closed"
            ),
            (
                "Mo-Fr 09:00-13:00,16:00-19:00; Sa 09:00-12:00", "2026-11-25T12:00:00Z",
                "closed 2026-11-25T15:00:00.000Z open"
            ),
            (
                "Mo-Fr 09:00-13:00,16:00-19:00; Sa 09:00-12:00", "2026-11-28T12:00:00Z",
                "closed 2026-11-30T08:00:00.000Z open"
            ),
            // Two hours ahead in summer. Between the times, the clocks are changed.
            ("Mo-Fr 09:00-13:00", "2026-07-01T10:59:59Z", "open 2026-07-01T11:00:00.000Z closed"),
            ("Mo 09:00-13:00", "2026-10-24T09:00:00Z", "closed 2026-10-26T08:00:00.000Z open"),
            ("Mo 09:00-13:00", "2026-03-28T09:00:00Z", "closed 2026-03-30T07:00:00.000Z open"),
            // After midnight, the evening before counts.
            ("Fr 18:00-02:00", "2026-11-28T00:30:00Z", "open 2026-11-28T01:00:00.000Z closed"),
            ("Fr 18:00-02:00; Sa 10:00-18:00", "2026-11-28T00:30:00Z", "open 2026-11-28T01:00:00.000Z closed"),
            ("Fr 18:00-02:00; Sa 10:00-18:00", "2026-11-28T01:30:00Z", "closed 2026-11-28T09:00:00.000Z open"),
            ("Mo-Fr 08:30-13:00,20:00-02:30", "2026-11-24T01:00:00Z", "open 2026-11-24T01:30:00.000Z closed"),
            ("Mo-Fr 20:00-08:00; Sa 13:00-08:00", "2026-11-28T02:00:00Z", "open 2026-11-28T07:00:00.000Z closed"),
            ("Fr 20:00-04:00; Sa off", "2026-11-28T01:00:00Z", "closed 2026-12-04T19:00:00.000Z open"),
            // Christmas, and Easter Monday.
            ("Mo-Fr 09:00-13:00; PH off", "2026-12-25T10:00:00Z", "closed 2026-12-28T08:00:00.000Z open"),
            ("Mo-Fr 09:00-13:00; PH off", "2026-04-06T09:00:00Z", "closed 2026-04-07T07:00:00.000Z open"),
            (
                "Mo-Fr 08:00-16:00 || \"su appuntamento\"", "2026-11-28T12:00:00Z",
                "unknown 2026-11-30T07:00:00.000Z open"
            ),
            ("24/7", "2026-11-28T12:00:00Z", "open - -"), ("Mo-Su 00:00-24:00", "2026-11-28T12:00:00Z", "open - -"),
            ("24/7; PH off", "2026-12-12T12:00:00Z", "open 2026-12-24T23:00:00.000Z closed"),
            ("24/7; PH off", "2026-12-25T12:00:00Z", "closed 2026-12-26T23:00:00.000Z open"),
            ("24/7; Aug 10-20 off", "2026-08-02T12:00:00Z", "open 2026-08-09T22:00:00.000Z closed"),
            ("24/7; Aug 10-20 off", "2026-01-02T12:00:00Z", "open - -"),
            ("off", "2026-11-28T12:00:00Z", "closed - -"),
            // As people write.
            ("Mo-Fr 11.00-23.00 Sa 11.00-01.00", "2026-11-28T12:00:00Z", "open 2026-11-29T00:00:00.000Z closed"),
            ("mo-fr 9-13", "2026-11-25T09:30:00Z", "nil"),
        ]
    )
    func states(_ value: String, _ time: String, _ expected: String) throws {
        let found = try state(value, time)
        let words = found.map { "\($0.kind) \($0.until?.text ?? "-") \($0.next.map { "\($0)" } ?? "-")" }
        #expect(words ?? "nil" == expected)
        // The second answer comes from memory.
        #expect(try state(value, time) == found)
    }

    @Test("The Sun rises and sets by the clocks of the place")
    func sun() throws {
        let found = try #require(try state("sunrise-sunset", "2026-06-21T12:00:00Z"))
        let end = try #require(found.until)
        // The almanac of Salerno says 20:36 in summer time. The place is rounded to degrees.
        let sunset = try #require(Timestamp(parsing: "2026-06-21T18:36:00Z"))
        #expect(found.kind == .open && abs(end.milliseconds - sunset.milliseconds) < 10 * 60_000)
    }

    @Test("What is remembered ends with its time")
    func memory() throws {
        let value = "Mo-Su 08:00-20:00"
        #expect(try state(value, "2026-11-25T18:59:59Z")?.kind == .open)
        #expect(try state(value, "2026-11-25T19:00:00Z")?.kind == .closed)
        #expect(try state(value, "2026-11-25T18:59:59Z")?.kind == .open)
        // Changes in more than some weeks are not known.
        let holidays = "24/7; Aug 10-20 off"
        #expect(try state(holidays, "2026-01-02T12:00:00Z")?.isAlwaysOpen == true)
        #expect(try state(holidays, "2026-08-12T12:00:00Z")?.kind == .closed)
    }

    @Test("Comments are told", arguments: [("\"su appuntamento\"", "su appuntamento"), ("Mo-Su 08:00-20:00", nil)])
    func comments(_ value: String, _ comment: String?) throws {
        #expect(try #require(try state(value, "2026-11-25T12:00:00Z")).comment == comment)
    }

    @Test(
        "Without a table of the holidays, or a country, hours with holidays are not known",
        arguments: ["LI", "ZZ", nil])
    func withoutHolidays(_ country: String?) throws {
        #expect(try state("Mo-Fr 09:00-13:00; PH off", "2026-11-25T09:30:00Z", in: country) == nil)
        #expect(try state("Mo-Fr 09:00-13:00", "2026-11-25T09:30:00Z", in: country)?.kind == .open)
    }

    @Test(
        "Nonsense is not known",
        arguments: [
            "", " ", "+423 233 44 22", "\0", "Mo-Fr 25:00-99:00", String(repeating: "(", count: 300),
            String(repeating: "\"", count: 300),
            String(repeating: "Mo[5];", count: 50) + "x", "easter -1000 days 10:00-11:00", "\u{202E}24/7",
            "Mo-Fr 08:00-20:00 🐕", "%n%s%s",
        ]
    )
    func nonsense(_ value: String) throws {
        #expect(try state(value, "2026-11-25T12:00:00Z") == nil)
    }

    @Test("Many ask at once")
    func atOnce() async throws {
        let values = (0..<200).map { "Mo-Su \(String(format: "%02d", $0 % 12)):00-\(12 + $0 % 12):30; PH off" }
        let kinds = await withTaskGroup { group in
            for value in values { group.addTask { try? state(value, "2026-11-25T11:15:00Z")?.kind } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(kinds == [OpeningState.Kind?](repeating: .open, count: values.count))
    }
}

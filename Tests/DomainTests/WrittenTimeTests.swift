import Domain
import Foundation
import Testing

@Suite("Times as people write them")
struct WrittenTimeTests {
    /// Friday, 27 November 2026, 14:00 in Rome.
    private let now = Timestamp(stored: "2026-11-27T13:00:00.000Z")

    private func read(_ text: String) throws -> String? {
        let zone = try #require(TimeZone(identifier: "Europe/Rome"))
        let style = Date.ISO8601FormatStyle(timeZone: zone).year().month().day().time(includingFractionalSeconds: false)
        return Timestamp(written: text, zone: zone, now: now).map { time in
            let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
            return String(date.formatted(style).prefix(16))
        }
    }

    @Test(
        "Dates are read with the day first, with names of months, and in ISO 8601",
        arguments: [
            ("26/11/2026 10:30", "2026-11-26T10:30"), ("26.11.2026", "2026-11-26T12:00"),
            ("2026-11-26", "2026-11-26T12:00"), ("2026-11-26T10:30", "2026-11-26T10:30"),
            ("2026-11-26T10:30:15", "2026-11-26T10:30"), ("26-11-26 9.05", "2026-11-26T09:05"),
            ("26/11 ore 8", "2026-11-26T08:00"), ("28/11", "2025-11-28T12:00"), ("11/26/2026", "2026-11-26T12:00"),
            ("26 novembre 2026", "2026-11-26T12:00"), ("26 nov, 18:45", "2026-11-26T18:45"),
            ("giovedì 26 novembre alle 7", "2026-11-26T07:00"), ("November 26th, 2026 at 9:15", "2026-11-26T09:15"),
            ("3 dicembre", "2025-12-03T12:00"), ("27/11/2026", "2026-11-27T12:00"),
            ("1/8/2026 h 21", "2026-08-01T21:00"),
        ]
    )
    func dates(text: String, time: String) throws {
        #expect(try read(text) == time)
    }

    @Test(
        "Words for days and parts of days are read",
        arguments: [
            ("ieri", "2026-11-26T12:00"), ("Ieri alle 15", "2026-11-26T15:00"), ("ieri sera", "2026-11-26T20:00"),
            ("ieri sera alle 9", "2026-11-26T21:00"), ("l'altro ieri", "2026-11-25T12:00"),
            ("oggi", "2026-11-27T12:00"),
            ("stamattina", "2026-11-27T08:00"), ("stanotte", "2026-11-26T23:00"), ("10:30", "2026-11-27T10:30"),
            ("alle 15", "2026-11-26T15:00"), ("yesterday at 3:15", "2026-11-26T03:15"),
            ("last night", "2026-11-26T23:00"),
            ("this morning", "2026-11-27T08:00"), ("yesterday, around 18:30", "2026-11-26T18:30"),
            ("oggi 23:00", "2026-11-27T23:00"),
            ("gestern 15 Uhr", "2026-11-26T15:00"), ("gestern gegen 15 Uhr", "2026-11-26T15:00"),
            ("hier à 15h", "2026-11-26T15:00"), ("hier, 18 h 30", "2026-11-26T18:30"),
            ("hier vers 18h30", "2026-11-26T18:30"),
            ("ontem às 15h", "2026-11-26T15:00"), ("ayer a las 15 h", "2026-11-26T15:00"),
            ("ayer a las 3 de la tarde", "2026-11-26T15:00"), ("yesterday 3pm", "2026-11-26T15:00"),
            ("yesterday at 12 am", "2026-11-26T00:00"),
            ("yesterday 12:30 am", "2026-11-26T00:30"), ("yesterday at 12 pm", "2026-11-26T12:00"),
            ("um 12 am 26.11.", "2026-11-26T12:00"),
            ("yesterday at 3:15 pm", "2026-11-26T15:15"), ("26.11. 15 Uhr", "2026-11-26T15:00"),
            ("26 novembre 2026 à 15h", "2026-11-26T15:00"), ("ieri 15h", "2026-11-26T15:00"),
        ]
    )
    func words(text: String, time: String) throws {
        #expect(try read(text) == time)
    }

    @Test("A day without a time that has only begun is now")
    func today() throws {
        let morning = Timestamp(stored: "2026-11-27T07:00:00.000Z")
        let zone = try #require(TimeZone(identifier: "Europe/Rome"))
        #expect(Timestamp(written: "oggi", zone: zone, now: morning) == morning)
    }

    @Test(
        "Other texts, and days that do not exist, are not read",
        arguments: [
            "", " ", "boh", "30/2/2026", "2026-13-45", "novembre", "26", "25:00", "ieri 26/11/2026", "10:30 11:30",
            "32/11",
            "vicino al ponte", "ieri forse", "26/11/2026 10:30 10:31", String(repeating: "ieri ", count: 100_000), "T",
            "t10:30",
            "0/0/0000", "99999999999999999999", "1 2 3 novembre",
        ]
    )
    func others(text: String) throws {
        #expect(try read(text) == nil)
    }
}

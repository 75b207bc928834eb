import Domain
import Foundation
import Localization
import OpeningHours
import TestSupport
import Testing

@testable import Pages

@Suite("Words for opening hours")
struct OpeningTextsTests {
    @Test(
        "The end of a state is told with the weekday unless it is near",
        arguments: [
            ("Mo-Fr 09:00-13:00,16:00-19:00", "2026-11-25T09:30:00Z", "Open until 13:00", "Aperto fino alle 13:00"),
            (
                "Mo-Fr 09:00-13:00,16:00-19:00", "2026-11-25T12:30:00Z", "Closed, opens at 16:00",
                "Chiuso, apre alle 16:00"
            ),
            (
                "Mo-Fr 09:00-13:00", "2026-11-27T12:30:00Z", "Closed, opens on Monday at 9:00",
                "Chiuso, apre lunedì alle 9:00"
            ),
            (
                "Mo 06:00-24:00; Tu 00:00-09:00", "2026-11-23T06:30:00Z", "Open until Tuesday at 9:00",
                "Aperto fino a martedì alle 9:00"
            ),
            ("Aug Mo-Fr 09:00-13:00", "2026-11-25T09:30:00Z", "Closed now", "Adesso è chiuso"),
            ("Mar-Dec", "2026-11-20T09:30:00Z", "Open now", "Aperto adesso"),
            ("24/7", "2026-11-25T09:30:00Z", "Open 24 hours", "Aperto 24 ore su 24"),
            ("off", "2026-11-25T09:30:00Z", "Closed now", "Adesso è chiuso"),
            ("\"by appointment\"", "2026-11-25T09:30:00Z", "Call before you go", "Telefona prima di andare"),
        ]
    )
    func words(_ value: String, _ time: String, _ english: String, _ italian: String) throws {
        let point = try #require(Coordinate(lon: 14.77, lat: 40.68))
        let now = try #require(Timestamp(parsing: time))
        let zone = try #require(TimeZone(identifier: "Europe/Rome"))
        let state = try #require(
            OpeningHours(country: "IT").state(of: value, at: point, in: "IT", zone: zone, now)
        )
        let localization = try Localization(breeds: try Bundled.breeds())
        #expect(localization.localizer(.english).opening(state, now: now) == english)
        #expect(localization.localizer(.italian).opening(state, now: now) == italian)
    }
}

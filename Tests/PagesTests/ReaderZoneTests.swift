import Domain
import Foundation
import Localization
import TestSupport
import Testing

@testable import Pages

@Suite("Times in the reader's time zone")
struct ReaderZoneTests {
    @Test("Times that belong to no place are those of the reader, if the zone is known")
    func moments() throws {
        let pages = try Pages(Localization(breeds: try Bundled.breeds()), base: "")
        let time = Timestamp(stored: "2026-11-20T18:44:00Z")
        for (name, wanted) in [("Europe/Rome", "19:44"), ("Asia/Tokyo", "ore 3:44"), ("UTC", "18:44")] {
            var localizer = pages.localizer(.italian)
            localizer.readerZone = TimeZones.zone(named: name)
            #expect(localizer.moment(time).hasSuffix(wanted), "\(name)")
        }
    }

    @Test(
        "Only names of time zones are read",
        arguments: ["", "x", "../../etc/passwd", "/etc/localtime", "Europe/Rome\n"])
    func names(name: String) {
        #expect(TimeZones.zone(named: name) == nil)
    }

    @Test("Pages show the zone of their visit")
    func page() throws {
        let pages = try Pages(Localization(breeds: try Bundled.breeds()), base: "")
        let time = Timestamp(stored: "2026-11-20T18:44:00Z")
        var visit = PageContext(language: .italian, viewer: nil, origin: "https://dogs.example.org", address: "/")
        visit.timeZone = TimeZones.zone(named: "Asia/Tokyo")
        var shown = ""
        _ = pages.render(for: visit) { page -> MessageView in
            shown = page.localizer.moment(time)
            return page.message(.failure)
        }
        #expect(shown.hasSuffix("ore 3:44"))
    }
}

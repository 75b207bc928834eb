import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("Two people who saw the same dog")
    struct AnimalStoryTests {
        private static func sighted(_ hour: Int, lon: Double) -> String {
            """
            {"status": "sighted", "breed": "Labrador", "colour": "nero", "sex": "male", "lon": \(lon), "lat": 40.77,
             "last_seen_at": "2026-11-02T0\(hour):00:00Z"}
            """
        }

        @Test(
            "One is asked after posting, the other agrees, both see the way of the dog, and one leaves",
            arguments: [
                Visitor(screen: .phone, language: "it"), Visitor(),
                Visitor(screen: .phone, language: "it", runsScripts: false),
            ]
        )
        func story(visitor: Visitor) async throws {
            let isItalian = visitor.language == "it"
            try await Scene.empty(hasModel: false) { service in
                let (ada, bruno) = (try await service.guest(), try await service.guest())
                let first = try await service.post(Self.sighted(6, lon: 14.79), ada)
                let second = try await service.post(Self.sighted(8, lon: 14.793), bruno)
                try await Browser.with(visitor) { browser in
                    try await browser.hold(bruno, at: service)
                    try await browser.open(service.base + "/listings/\(second)?posted")
                    #expect(
                        try await browser.text("#same")
                            == (isItalian ? "È lo stesso animale?" : "Is it the same animal?"))
                    try await browser.click(".match button[value=yes]")
                    try await browser.wait(forAddress: "done=match.saved")
                }
                try await Browser.with(visitor) { browser in
                    try await browser.hold(ada, at: service)
                    try await browser.open(service.base + "/listings/\(first)")
                    try await browser.click(".partner.urgent .button.good")
                    try await browser.click("main form button[value=yes]")
                    try await browser.wait(forAddress: "/listings/\(first)/animal")
                    #expect(try await browser.text("h1") == (isItalian ? "Un cane, 2 annunci" : "A dog, 2 listings"))
                    #expect(try await browser.findAll("ol.way li").count == 2)
                    if visitor.runsScripts { try await browser.find(".leaflet-container path.way") }
                    // The second place leads to the second listing, which leads back.
                    try await browser.click("ol.way li:nth-child(2) a")
                    try await browser.wait(forAddress: "/listings/\(second)")
                    try await browser.click("a[href$='/animal']")
                    try await browser.wait(forAddress: "/listings/\(second)/animal")
                    #expect(try await browser.findAll("main form").isEmpty, "it is another person's listing")
                    try await browser.open(service.base + "/listings/\(first)/animal")
                    try await browser.click("main form button")
                    try await browser.wait(forAddress: "done=joined.parted")
                    #expect(try await browser.findAll("a[href$='/animal']").isEmpty)
                }
            }
        }
    }
}

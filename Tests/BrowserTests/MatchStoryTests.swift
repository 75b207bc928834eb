import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("From a match to the dog at home")
    struct MatchStoryTests {
        private static func listing(_ status: String, _ more: String) -> String {
            #"{"status": "\#(status)", "breed": "Labrador", "colour": "nero", "lon": 14.79, "lat": 40.77, \#(more)}"#
        }

        @Test(
            "The finder says yes, the owner says yes, they talk, the dog comes home, and it can be undone",
            arguments: [
                Visitor(screen: .phone, language: "it"), Visitor(),
                Visitor(screen: .phone, language: "it", runsScripts: false),
            ]
        )
        func story(visitor: Visitor) async throws {
            let isItalian = visitor.language == "it"
            try await Scene.empty(hasModel: false) { service in
                let (owner, finder) = (try await service.guest(), try await service.guest())
                let phone = #""contact_phone": "333 1234567""#
                let lost = try await service.post(
                    Self.listing("lost", #""name": "Maggie", "sex": "female", \#(phone)"#), owner)
                let found = try await service.post(
                    Self.listing("found", phone + #", "contact_phone_public": true"#), finder)
                let (mine, theirs) = ("/listings/\(lost)", "/listings/\(found)")
                try await Browser.with(visitor) { anna in
                    try await anna.hold(owner, at: service)
                    try await Browser.with(visitor) { bruno in
                        try await bruno.hold(finder, at: service)
                        try await bruno.open(service.base + theirs)
                        // The match comes before everything else.
                        let order = "article.listing > .matches ~ .photos"
                        #expect(try await bruno.findAll(order).count == 1)
                        try await bruno.click(".match button[value=yes]")
                        try await bruno.wait(forAddress: "done=match.saved")
                        try await bruno.find(".partner")
                        try await anna.open(service.base + mine)
                        try await check(anna, visitor)
                        try await anna.click(".partner.urgent .good")
                        try await anna.wait(
                            for: isItalian ? "Qualcuno dice: è Maggie" : "Somebody says: it's Maggie", in: "h1")
                        try await check(anna, visitor)
                        try await anna.click("button[value=yes]")
                        try await anna.wait(
                            for: isItalian ? "È Maggie! Mettetevi d'accordo" : "It's Maggie! Arrange", in: "h1")
                        #expect(try await anna.findAll("a[href='tel:+393331234567']").count == 1)
                        try await check(anna, visitor)
                        try await anna.click("form.post button[type=submit]")
                        try await anna.wait(forAddress: "done=inbox.sent")
                        // The other one reads it with the number that was given, and answers.
                        try await bruno.open(service.base + "/inbox")
                        try await bruno.click("a.letter")
                        try await bruno.find("a[href='tel:+393331234567']")
                        try await bruno.type("Alle cinque?", into: "[name=text]")
                        try await bruno.click("form.post button[type=submit]")
                        try await bruno.wait(for: "Alle cinque?", in: ".letters")
                        try await bruno.click(".notice.done a")
                        try await bruno.wait(forAddress: "\(theirs)/matches/\(lost)")
                        try await bruno.click("button[name=home]")
                        try await bruno.wait(forAddress: "\(theirs)/home")
                        try await bruno.wait(
                            for: isItalian ? "Bentornata a casa, Maggie!" : "Welcome home, Maggie!", in: "h1")
                        try await check(bruno, visitor)
                        try await anna.open(service.base + mine)
                        try await anna.find(".chip.reunited")
                        try await anna.click(".partner .button")
                        try await anna.click("button[value=no]")
                        try await anna.wait(for: isItalian ? "È Maggie!" : "It's Maggie!", in: "h1")
                        try await bruno.open(service.base + theirs)
                        try await bruno.find(".chip.found")
                        #expect(try await anna.consoleErrors() == [])
                        #expect(try await bruno.consoleErrors() == [])
                    }
                }
            }
        }

        private func check(_ browser: Browser, _ visitor: Visitor) async throws {
            guard Axe.isAvailable, visitor.runsScripts else { return }
            #expect(try await browser.accessibilityViolations().map(\.description) == [])
        }
    }
}

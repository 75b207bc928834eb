import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    /// What owners, finders, volunteers and moderators do from beginning to end, on phones and desktops, in both
    /// languages.
    @Suite("Whole stories")
    struct WholeStoriesTests {
        private static let devices: [(Visitor.Screen, String)] = [
            (.phone, "it"), (.phone, "en"), (.desktop, "it"), (.desktop, "en"),
        ]
        private static let fisciano = Coordinate(lon: 14.79, lat: 40.77)

        private static func visitor(_ screen: Visitor.Screen, _ language: String) throws -> Visitor {
            Visitor(screen: screen, language: language, whereabouts: .told(try #require(fisciano)))
        }

        @Test(
            "An owner posts a lost dog without an account, is told what to do now, and marks it as home",
            arguments: devices
        )
        func owner(screen: Visitor.Screen, language: String) async throws {
            let folder = try TemporaryFolder()
            try await Scene.empty { service in
                try await service.putHelp()
                try await Browser.with(try Self.visitor(screen, language)) { browser in
                    try await browser.open(service.base + "/board")
                    try await browser.click("nav .post")
                    try await browser.find("[data-photos]").upload(try folder.photo(.red))
                    try await browser.click(".choice.lost input")
                    try await browser.click("[data-locate]")
                    try await browser.wait(for: "the town") {
                        try await browser.find("[name=place]").value() == "Fisciano (SA)"
                    }
                    try await browser.type("+39 089 123456", into: "[name=contact_phone]")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(forAddress: "/listings/")
                    #expect(try await browser.text("h1") == "Beagle")
                    #expect(try await browser.find(".contact a").attribute("href") == "tel:+39089123456")
                    // The nearest vet has a telephone number, and the listing can be shared.
                    try await browser.find("a[href='tel:+39089654321']")
                    for link in ["https://wa.me/", "https://t.me/", "https://www.facebook.com/", "/flyer.pdf"] {
                        #expect(try await !browser.findAll("a[href*='\(link)']").isEmpty, "\(link)")
                    }
                    try await browser.open(service.base + "/my")
                    try await browser.click(".actions .good")
                    try await browser.wait(forAddress: "/home?was=lost")
                    try await browser.open(service.base + "/board")
                    #expect(try await browser.cards().isEmpty)
                    #expect(try await browser.consoleErrors() == [])
                }
            }
        }

        @Test("A finder searches by photo nearby, writes to the owner, and gets an answer", arguments: devices)
        func finder(screen: Visitor.Screen, language: String) async throws {
            let folder = try TemporaryFolder()
            try await Scene.empty { service in
                let owner = try await service.register("anna@example.org")
                _ = try await service.post("Argo", 3, owner, #""breed": "Beagle", "secret_mark": "one white claw""#)
                try await Browser.with(try Self.visitor(screen, language)) { finder in
                    try await finder.open(service.base + "/photo-search")
                    try await finder.click("[data-near]")
                    try await finder.wait(for: "the position") { try await !finder.find("[name=lon]").value().isEmpty }
                    try await finder.find("[name=photo]").upload(try folder.photo(.red))
                    try await finder.wait(for: "Beagle", in: "[data-recognised]")
                    try await finder.click("main button[type=submit]")
                    try await finder.wait(forAddress: "classification=")
                    #expect(try await finder.cards() == ["Argo"])
                    try await finder.click(".card a")
                    try await finder.click("a[href$='/write']")
                    try await finder.type("He is here with me.", into: "[name=text]")
                    try await finder.type("one white claw", into: "[name=mark]")
                    try await finder.click("main form button[type=submit]")
                    try await finder.wait(forAddress: "/inbox/")
                    try await Browser.with(try Self.visitor(screen, language)) { anna in
                        try await anna.hold(owner, at: service)
                        try await anna.open(service.base + "/inbox")
                        try await anna.click(".letter")
                        try await anna.wait(for: "He is here with me.", in: "main")
                        try await anna.type("I am coming!", into: "[name=text]")
                        try await anna.click("main form button[type=submit]")
                        try await anna.wait(for: "I am coming!", in: ".letters")
                    }
                    try await finder.open(service.base + "/inbox")
                    try await finder.click(".letter")
                    try await finder.wait(for: "I am coming!", in: "main")
                    #expect(try await finder.consoleErrors() == [])
                }
            }
        }

        @Test("A volunteer with many listings registers, finds one, edits it, and renews another", arguments: devices)
        func volunteer(screen: Visitor.Screen, language: String) async throws {
            try await Scene.empty(hasModel: false) { service in
                let token = try await service.register("rosa@example.org")
                for number in 1...25 { _ = try await service.post("Dog \(number)", number, token) }
                try await Browser.with(try Self.visitor(screen, language)) { browser in
                    let form = "form[action$=sign-in] "
                    try await browser.open(service.base + "/account?next=/my")
                    try await browser.type("rosa@example.org", into: form + "[name=email]")
                    try await browser.type("correct horse", into: form + "[name=password]")
                    try await browser.click(form + "button[type=submit]")
                    try await browser.wait(forAddress: "/my")
                    #expect(try await browser.findAll(".mine").count == 20)
                    try await browser.type("dog 7", into: ".filters [name=q]")
                    try await browser.click(".filters button[type=submit]")
                    try await browser.wait(forAddress: "q=dog")
                    #expect(try await browser.findAll(".mine").count == 1)
                    try await browser.click(".mine a[href$='/edit']")
                    try await browser.find("[name=colour]").set("brown")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(forAddress: "/listings/")
                    #expect(try await browser.text("dl").contains("brown"))
                    try await browser.open(service.base + "/my?q=dog+8")
                    try await browser.click(".mine form[action$='/renew'] button")
                    try await browser.wait(forAddress: "done=my.renewed")
                    #expect(try await browser.consoleErrors() == [])
                }
            }
        }

        @Test(
            "A moderator signs in where the work is, hides a listing, and puts it back after an appeal",
            arguments: devices
        )
        func moderator(screen: Visitor.Screen, language: String) async throws {
            try await Scene.empty(hasModel: false) { service in
                let owner = try await service.guest()
                let listing = try await service.post("Argo", 3, owner)
                let report =
                    #"{"subject": "listing", "id": "\#(listing)", "reason": "scam", "text": "Asks for money."}"#
                try await service.send("POST", "/v1/reports", report, token: try await service.guest())
                _ = try await service.admin()
                let visitor = try Self.visitor(screen, language)
                try await Browser.with(visitor) { admin in
                    try await admin.open(service.base + "/moderation")
                    try await admin.click("a[href*='next=']")
                    let form = "form[action$=sign-in] "
                    try await admin.type("admin@example.org", into: form + "[name=email]")
                    try await admin.type("correct horse", into: form + "[name=password]")
                    try await admin.click(form + "button[type=submit]")
                    try await admin.wait(forAddress: "/moderation")
                    try await admin.click("button[value=hide]")
                    try await admin.click("main button.danger")
                    try await admin.wait(forAddress: "done=moderation.done")
                    try await Browser.with(visitor) { browser in
                        try await browser.hold(owner, at: service)
                        try await browser.open(service.base + "/my")
                        try await browser.click(".mine .notice.problem a")
                        try await browser.click(".notice.problem a[href*='/report']")
                        try await browser.type("It is my dog.", into: "[name=text]")
                        try await browser.click("main form button[type=submit]")
                        try await browser.wait(forAddress: "done=report.received")
                        #expect(try await browser.consoleErrors() == [])
                    }
                    try await admin.open(service.base + "/moderation")
                    try await admin.wait(for: "It is my dog.", in: "main")
                    try await admin.click("button[value=restore]")
                    try await admin.wait(forAddress: "done=moderation.done")
                    try await admin.open(service.base + "/board")
                    #expect(try await admin.cards() == ["Argo"])
                }
            }
        }
    }
}

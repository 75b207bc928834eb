import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("Pages without scripts")
    struct WithoutScriptsTests {
        @Test("The board is read and searched by forms alone")
        func reading() async throws {
            try await Scene.with { scene in
                try await Browser.with(Visitor(runsScripts: false)) { browser in
                    try await browser.open(scene.service.base + "/board")
                    #expect(try await browser.findAll(".card").count == 8)
                    try await browser.type("cheese", into: "[name=q]")
                    try await browser.click(".filters button[type=submit]")
                    try await browser.wait(forAddress: "q=cheese")
                    #expect(try await browser.text(".card h2") == "Argo")
                    #expect(try await browser.findAll(".card").count == 1)
                    try await browser.type("red collar", into: "[name=q]")
                    try await browser.click(".filters button[type=submit]")
                    try await browser.wait(forAddress: "q=red+collar")
                    #expect(try await browser.find("[name=q]").value() == "red collar")
                    #expect(try await browser.findAll(".card").count == 1)
                    try await browser.open(scene.service.base + "/board")
                    try await browser.click(".filters summary")
                    try await browser.find("[name=status]").select("found")
                    try await browser.type("Fisciano", into: "[name=place]")
                    try await browser.find("[name=radius]").select("10000")
                    try await browser.click(".filters button[type=submit]")
                    try await browser.wait(forAddress: "status=found")
                    #expect(try await browser.findAll(".card").count == 1)
                    try await browser.click(".card a")
                    try await browser.wait(forAddress: "/listings/")
                    #expect(try await browser.text("h1") == "Luna")
                    try await browser.open(scene.service.base + "/map?place=Fisciano")
                    #expect(try await browser.findAll(".card").count == 8)
                }
            }
        }

        @Test("A listing is posted with a photo, edited and deleted by forms alone")
        func posting() async throws {
            let folder = try TemporaryFolder()
            try await Scene.empty { service in
                try await Browser.with(Visitor(runsScripts: false)) { browser in
                    try await browser.open(service.base + "/post")
                    try await browser.find("[name=photo]").upload(try folder.photo(.red))
                    try await browser.click(".choice.lost input")
                    try await browser.type("Nowhere at all", into: "[name=place]")
                    try await browser.type("Argo", into: "[name=name]")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(for: "We don't know where that is.", in: ".notice.problem")
                    #expect(try await browser.find("[name=name]").value() == "Argo")
                    try await browser.type("Fisciano", into: "[name=place]")
                    try await browser.find("[name=photo]").upload(try folder.photo(.red))
                    try await browser.click("button[type=submit]")
                    try await browser.wait(for: "It is out.", in: ".notice.done")
                    #expect(try await browser.text(".facts .lead") == "in Fisciano (SA)")
                    #expect(try await browser.text("dl").contains("Beagle (by the photo)"))

                    try await browser.click("a[href$='/edit']")
                    try await browser.type("Argo the Great", into: "[name=name]")
                    try await browser.click("[name=remove_photo]")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(for: "Saved.", in: ".notice")
                    #expect(try await browser.text("h1") == "Argo the Great")
                    #expect(try await browser.findAll(".photos img").isEmpty)

                    try await browser.click("a[href$='/delete']")
                    try await browser.click("main button.danger")
                    try await browser.wait(for: "Deleted.", in: ".notice")
                    try await browser.open(service.base + "/board")
                    #expect(try await browser.findAll(".card").isEmpty)
                }
            }
        }

        @Test("A photo finds listings of its breed without scripts")
        func photoSearch() async throws {
            let folder = try TemporaryFolder()
            try await Scene.with { scene in
                try await Browser.with(Visitor(runsScripts: false)) { browser in
                    try await browser.open(scene.service.base + "/photo-search")
                    try await browser.find("[name=photo]").upload(try folder.photo(.red))
                    try await browser.click("main button")
                    try await browser.wait(forAddress: "classification=")
                    #expect(try await browser.text(".card h2") == "Luna")
                }
            }
        }
    }
}

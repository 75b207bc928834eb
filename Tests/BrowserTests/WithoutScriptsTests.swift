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
                    #expect(try await browser.findAll(".card").count == 9)
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
                    try await browser.open(scene.service.base + "/map?q=Fisciano")
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
                    try await browser.unfold()
                    try await browser.type("Argo", into: "[name=name]")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(for: "We don't know where that is.", in: "#error-place")
                    #expect(try await browser.find("[name=place]").attribute("aria-invalid") == "true")
                    #expect(try await browser.focused()?.attribute("name") == "place")
                    #expect(try await browser.find("[name=name]").value() == "Argo")
                    try await browser.type("Fisciano", into: "[name=place]")
                    try await browser.find("[name=photo]").upload(try folder.photo(.red))
                    try await browser.click("button[type=submit]")
                    try await browser.wait(for: "Your listing is live.", in: ".notice.done")
                    #expect(try await browser.text(".facts .lead") == "in Fisciano (SA)")
                    #expect(try await browser.text("dl").contains("Beagle (from the photo)"))

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

        @Test("Another photo becomes the first one")
        func firstPhoto() async throws {
            let folder = try TemporaryFolder()
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(Visitor(runsScripts: false)) { browser in
                    try await browser.open(service.base + "/post")
                    try await browser.find("[name=photo]").upload(try folder.photo(.red))
                    try await browser.click(".choice.lost input")
                    try await browser.type("Fisciano", into: "[name=place]")
                    try await browser.click("button[type=submit]")
                    try await browser.click("a[href$='/edit']")
                    try await browser.find("[name=photo]").upload(try folder.photo(.blue))
                    try await browser.click("button.primary")
                    try await browser.click("a[href$='/edit']")
                    let former = try await browser.find(".kept img").attribute("src")
                    try await browser.click("[name=first_photo]")
                    try await browser.wait(for: "Saved.", in: ".notice")
                    let images = try await browser.findAll(".kept img")
                    #expect(images.count == 2)
                    #expect(try await images.last?.attribute("src") == former)
                }
            }
        }

        @Test("A photo that cannot be read leaves the rest of the form as it was")
        func unreadablePhoto() async throws {
            let folder = try TemporaryFolder()
            let text = folder.url.appending(path: "note.png")
            try Data("no photo".utf8).write(to: text)
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(Visitor(runsScripts: false)) { browser in
                    try await browser.open(service.base + "/post")
                    try await browser.find("[name=photo]").upload(text)
                    try await browser.click(".choice.found input")
                    try await browser.type("Fisciano", into: "[name=place]")
                    try await browser.type("+39 089 123456", into: "[name=contact_phone]")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(for: "We can't read this photo", in: "#error-photo")
                    #expect(try await browser.find("[name=place]").value() == "Fisciano")
                    #expect(try await browser.find("[name=contact_phone]").value() == "+39 089 123456")
                    #expect(try await browser.find(".choice.found input").isSelected())
                }
            }
        }

        @Test("A rejected registration keeps its own fields, and asks for the password twice")
        func registration() async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(Visitor(runsScripts: false)) { browser in
                    let form = "form[action$=register] "
                    try await browser.open(service.base + "/account")
                    try await browser.type("anna@example.org", into: form + "[name=email]")
                    try await browser.type("correct horse", into: form + "[name=password]")
                    try await browser.type("battery staple", into: form + "[name=password_repeat]")
                    try await browser.type("Rossi", into: form + "[name=last_name]")
                    try await browser.click(form + "button[type=submit]")
                    try await browser.wait(for: "The two passwords differ.", in: form + ".notice.problem")
                    #expect(try await browser.find(form + "[name=email]").value() == "anna@example.org")
                    #expect(try await browser.find("form[action$=sign-in] [name=email]").value() == "")
                    #expect(try await browser.focused()?.attribute("name") == "password_repeat")
                    try await browser.type("correct horse", into: form + "[name=password]")
                    try await browser.type("correct horse", into: form + "[name=password_repeat]")
                    try await browser.click(form + "button[type=submit]")
                    try await browser.wait(for: "Welcome!", in: ".notice")
                    try await browser.open(service.base + "/account")
                    #expect(try await browser.find("[name=last_name]").value() == "Rossi")
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
                    try await browser.click("[name=status][value='found,sighted']")
                    try await browser.click("main button[type=submit]")
                    try await browser.wait(forAddress: "classification=")
                    #expect(try await browser.text(".card h2") == "Luna")
                }
            }
        }
    }
}

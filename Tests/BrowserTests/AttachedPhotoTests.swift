import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("Photos of sightings and messages in browsers")
    struct AttachedPhotoTests {
        private static let seenAt = Coordinate(lon: 14.801357, lat: 40.781357)

        /// Whether the browser has loaded and decoded the picture.
        private func isLoaded(_ css: String, _ browser: Browser) async throws -> Bool {
            let script =
                "const one = document.querySelector(arguments[0]); return one?.complete && one.naturalWidth > 0"
            return try await browser.script(script, .string(css)) == true
        }

        @Test(
            "On a phone, a finder sends a sighting with a photo, the owner confirms it, and a stranger sees the picture"
        )
        func story() async throws {
            let folder = try TemporaryFolder()
            try await Scene.with { scene in
                let listing = scene.service.base + "/listings/\(scene.argo)"
                let finder = Visitor(screen: .phone, whereabouts: .told(try #require(Self.seenAt)))
                try await Browser.with(finder) { browser in
                    try await browser.open(listing)
                    try await browser.click("a[href$='/sighting']")
                    try await browser.wait(forAddress: "/sighting")
                    try await browser.click("[data-locate]")
                    try await browser.wait(for: "the town") {
                        try await !browser.find("[name=place]").value().isEmpty
                    }
                    try await browser.find("[name=photo]").upload(try folder.photo(.green))
                    try await browser.wait(for: "the preview") { try await isLoaded(".previews img", browser) }
                    try await save("form", browser)
                    try await browser.click("form.post button[type=submit]")
                    try await browser.wait(forAddress: "done=sighting.thanks")
                    try await browser.wait(for: "the photo") {
                        try await browser.script("document.querySelector('.sightings').scrollIntoView()")
                        return try await isLoaded(".sightings .attached img", browser)
                    }
                    #expect(try await browser.consoleErrors() == [])
                }
                try await Browser.with(.phone) { browser in
                    try await browser.open(listing)
                    #expect(try await browser.findAll(".attached").isEmpty)
                    try await browser.hold(scene.anna, at: scene.service)
                    try await browser.open(listing + "#sightings")
                    try await browser.wait(for: "the photo") {
                        // The map and the matches above move the list away; photos outside of the window are not loaded.
                        try await browser.script("document.querySelector('.sightings').scrollIntoView()")
                        return try await isLoaded(".sightings .proposed .attached img", browser)
                    }
                    try await save("owner", browser)
                    try await browser.click(".sightings .good")
                    try await browser.find(".sightings .confirmed")
                }
                try await Browser.with(.phone) { browser in
                    try await browser.open(listing)
                    for place in [".sightings", ".timeline"] {
                        try await browser.wait(for: "the photo in \(place)") {
                            try await browser.script("document.querySelector('\(place)').scrollIntoView()")
                            return try await isLoaded("\(place) .attached img", browser)
                        }
                    }
                    try await save("public", browser)
                    #expect(try await browser.consoleErrors() == [])
                }
            }
        }

        @Test("In a conversation, a photo and one's place are sent with one tap each, and seen by the other one")
        func conversation() async throws {
            let folder = try TemporaryFolder()
            try await Scene.with { scene in
                let page = scene.service.base + "/inbox/\(scene.conversation)"
                let writer = Visitor(screen: .phone, whereabouts: .told(try #require(Self.seenAt)))
                try await Browser.with(writer) { browser in
                    try await browser.hold(scene.guest, at: scene.service)
                    try await browser.open(page)
                    try await browser.type("He is here", into: "[name=text]")
                    try await browser.find("[name=photo]").upload(try folder.photo(.blue))
                    for _ in 0..<2 {
                        try await browser.click("[data-place-add]")
                        try await browser.wait(for: "Your exact place", in: "[data-place-status]")
                        #expect(try await browser.find("[name=lat]").value() == "40.781357")
                        try await browser.click("[data-place-remove]")
                        #expect(try await browser.find("[name=lat]").value() == "")
                    }
                    try await browser.click("[data-place-add]")
                    try await browser.wait(for: "Your exact place", in: "[data-place-status]")
                    try await save("conversation-form", browser)
                    try await browser.click("form[data-message] button[type=submit]")
                    try await browser.find(".mine-message .attached")
                    #expect(try await browser.consoleErrors() == [])
                }
                try await Browser.with(.phone) { browser in
                    try await browser.hold(scene.anna, at: scene.service)
                    try await browser.open(page)
                    #expect(try await browser.findAll("a[href^='geo:40.781357,14.801357']").count == 1)
                    try await browser.script("document.querySelector('.letters .attached').scrollIntoView()")
                    try await browser.wait(for: "the photo") {
                        try await isLoaded(".their-message .attached img", browser)
                    }
                    try await browser.find(".letters .leaflet-container .pin")
                    try await browser.settle()
                    try await save("conversation", browser)
                    #expect(try await browser.consoleErrors() == [])
                }
            }
        }

        @Test("Without scripts, a bad photo keeps what was written, and a good one is sent and seen")
        func withoutScripts() async throws {
            let folder = try TemporaryFolder()
            let text = folder.url.appending(path: "note.png")
            try Data("no photo".utf8).write(to: text)
            try await Scene.with { scene in
                try await Browser.with(Visitor(runsScripts: false)) { browser in
                    let send = "form.post button[type=submit]"
                    try await browser.open(scene.service.base + "/listings/\(scene.argo)/sighting")
                    try await browser.type("Fisciano", into: "[name=place]")
                    try await browser.type("By the river", into: "[name=text]")
                    try await browser.find("[name=photo]").upload(text)
                    try await browser.click(send)
                    try await browser.wait(for: "We can't read this photo", in: "#error-photo")
                    #expect(try await browser.find("[name=text]").value() == "By the river")
                    #expect(try await browser.find("[name=place]").value() == "Fisciano")
                    try await browser.find("[name=photo]").upload(try folder.photo(.red))
                    try await browser.click(send)
                    try await browser.wait(for: "Thank you!", in: ".notice")
                    try await browser.find(".sightings .attached img")
                    try await browser.open(scene.service.base + "/listings/\(scene.argo)/write")
                    #expect(try await browser.find("[data-place-add]").isShown() == false)
                    try await browser.type("I saw him", into: "[name=text]")
                    try await browser.find("[name=photo]").upload(text)
                    try await browser.click(send)
                    try await browser.wait(for: "We can't read this photo", in: ".notice.problem")
                    #expect(try await browser.find("[name=text]").value() == "I saw him")
                    try await browser.find("[name=photo]").upload(try folder.photo(.red))
                    try await browser.click(send)
                    try await browser.wait(forAddress: "/inbox/")
                    try await browser.find(".mine-message .attached img")
                    // A form without a photo has an empty file.
                    try await browser.type("No photo", into: "[name=text]")
                    try await browser.click(send)
                    try await browser.wait(for: "No photo", in: ".letters li:last-child")
                    #expect(try await browser.findAll(".attached").count == 1)
                }
            }
        }

        /// Saves a screenshot for manual review.
        private func save(_ name: String, _ browser: Browser) async throws {
            guard let folder = PictureTests.folder else { return }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let picture = try await browser.pageScreenshot()
            try picture.png.write(to: folder.appending(path: "photo-story-\(name).png"))
        }
    }
}

extension RunningService {
    /// Adds a sighting and a message with photos; the message tells a place, too.
    func addPhotos(_ listing: String, _ conversation: String, _ token: String) async throws {
        let boundary = "boundary"
        for (path, more) in [
            ("/v1/listings/\(listing)/sightings", ""),
            ("/v1/me/conversations/\(conversation)/messages", "By the bridge"),
        ] {
            var body = Data()
            for (name, value) in [
                ("lon", "14.8"), ("lat", "40.78"), ("text", "\(more) \(UUID().uuidString.prefix(4))"),
            ] {
                body += Data(
                    "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8
                )
            }
            let head = "Content-Disposition: form-data; name=\"photo\"; filename=\"dog.png\""
            body += Data("--\(boundary)\r\n\(head)\r\n\r\n".utf8) + (try Data.photo(.red))
            body += Data("\r\n--\(boundary)--\r\n".utf8)
            let type = ["Content-Type": "multipart/form-data; boundary=\(boundary)"]
            let answer = try await send("POST", path, bytes: body, token, type)
            guard answer.status == 201 else {
                throw TestFailure("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
            }
        }
    }
}

import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("Form for posting in browsers")
    struct PostPageTests {
        private func isInView(_ css: String, _ browser: Browser) async throws -> Bool {
            let script = """
                const { top, bottom } = document.querySelector(arguments[0]).getBoundingClientRect();
                return top >= 0 && bottom <= innerHeight;
                """
            return try await browser.script(script, .string(css)) == true
        }

        @Test("An error stands beside its field, which is focused and in view")
        func error() async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(.phone) { browser in
                    try await browser.open(service.base + "/post")
                    try await browser.click(".choice.lost input")
                    try await browser.type("Nowhere at all", into: "[name=place]")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(for: "We don't know where that is.", in: "#error-place")
                    let place = try await browser.find("[name=place]")
                    #expect(try await place.attribute("aria-invalid") == "true")
                    #expect(try await place.attribute("aria-describedby") == "error-place")
                    #expect(try await browser.focused()?.attribute("name") == "place")
                    #expect(try await isInView("#error-place", browser))
                    // The field of this error is folded.
                    try await browser.unfold()
                    try await browser.find("[name=place]").set("Fisciano")
                    try await browser.type("12", into: "[name=microchip]")
                    try await browser.click(".more-fields summary")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(for: "A microchip number has 15 digits", in: "#error-microchip")
                    #expect(try await browser.findAll("#error-place").isEmpty)
                    #expect(try await place.attribute("aria-invalid") == nil)
                    #expect(try await isInView("#error-microchip", browser))
                }
            }
        }

        @Test("A device that gives 0, 0 has no position")
        func deviceWithoutFix() async throws {
            let nowhere = try #require(Coordinate(lon: 0, lat: 0))
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(Visitor(screen: .phone, whereabouts: .told(nowhere))) { browser in
                    try await browser.open(service.base + "/post")
                    try await browser.click("[data-locate]")
                    try await browser.wait(for: "Your position could not be found.", in: "[data-position]")
                    #expect(try await browser.find("[name=lon]").value().isEmpty)
                }
            }
        }

        @Test(
            "The form asks about a point whose longitude and latitude are exchanged, and a choice posts the right one")
        func exchangedPoint() async throws {
            let italy = try BoundingBox(parsing: "6.6,36.6,18.6,47.1")
            try await Scene.empty(hasModel: false, mapArea: italy) { service in
                try await Browser.with(.phone) { browser in
                    try await browser.open(service.base + "/post")
                    try await browser.click(".choice.lost input")
                    try await browser.script(
                        "const { lon, lat } = document.querySelector('form.post').elements; [lon.value, lat.value] = [40.77, 14.79];"
                    )
                    try await browser.click("button[type=submit]")
                    try await browser.wait(
                        for: "Longitude and latitude may be the wrong way round.", in: "#error-place")
                    try await browser.click("[name=point_choice][value='14.79,40.77']")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(forAddress: "?posted")
                    let listing = try #require(try await service.send("GET", "/v1/listings").features.first)
                    #expect(listing["properties"]["place"] == "Fisciano")
                }
            }
        }

        @Test("What most posts need is on the first screen, and the time is now")
        func firstScreen() async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(.phone) { browser in
                    try await browser.open(service.base + "/post")
                    for name in ["photo", "status", "place", "contact_phone"] {
                        #expect(try await isInView("[name=\(name)]", browser), "\(name)")
                    }
                    #expect(try await !browser.find("[name=breed]").isShown())
                    let age =
                        "return (Date.now() - new Date(document.querySelector('[name=last_seen_at]').value)) / 1000"
                    let seconds = try await browser.script(age).number ?? -1
                    #expect((0...120).contains(seconds))
                }
            }
        }

        @Test("A number is shown on a lost listing unless the reader decides otherwise, and not on a found one")
        func shownNumber() async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(.phone) { browser in
                    func isTicked() async throws -> Bool {
                        try await browser.find("[name=contact_phone_public]").isSelected()
                    }
                    try await browser.open(service.base + "/post")
                    try await browser.type("+39 089 123456", into: "[name=contact_phone]")
                    #expect(try await !isTicked())
                    try await browser.click(".choice.lost input")
                    #expect(try await isTicked())
                    try await browser.click(".choice.found input")
                    #expect(try await !isTicked())
                    try await browser.click(".choice.lost input")
                    try await browser.click("[name=contact_phone_public]")
                    try await browser.click(".choice.found input")
                    try await browser.click(".choice.lost input")
                    #expect(try await !isTicked())
                }
            }
        }

        /// Makes the page receive this result of the image model.
        private func classify(as json: String, in browser: Browser) async throws {
            let script = """
                const fetchReally = window.fetch;
                window.fetch = (address, options) =>
                    String(address).includes("/v1/classifications")
                        ? Promise.resolve(new Response(arguments[0])) : fetchReally(address, options);
                """
            try await browser.script(script.replacing("arguments[0]", with: "`\(json)`"))
        }

        @Test("A photo of a cat selects the species, and a probability is never shown as certainty")
        func recognised() async throws {
            let folder = try TemporaryFolder()
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with { browser in
                    try await browser.open(service.base + "/post")
                    let cat = #"{"label": "cat", "name": "Cat", "confidence": 0.9999}"#
                    try await classify(as: #"{"outcome": "not_the_subject", "predictions": [\#(cat)]}"#, in: browser)
                    try await browser.find("[data-photos]").upload(try folder.photo(.red))
                    try await browser.wait(for: "A cat was recognised", in: "[data-recognised]")
                    #expect(try await browser.find("[name=species][value=cat]").isSelected())
                    let dog = #"{"label": "beagle", "name": "Beagle", "confidence": 0.9967}"#
                    try await classify(as: #"{"outcome": "accepted", "predictions": [\#(dog)]}"#, in: browser)
                    try await browser.find("[data-photos]").upload(try folder.photo(.green))
                    try await browser.click("figure:nth-child(2) button")
                    try await browser.wait(for: "Beagle (99%)", in: "[data-recognised]")
                    // The next photo decides again, unless the reader has decided.
                    #expect(try await browser.find("[name=species][value=dog]").isSelected())
                    #expect(try await browser.find("[name=breed]").value() == "Beagle")
                    try await browser.script("document.querySelector('[name=breed]').value = 'Mongrel'")
                    let poodle = #"{"label": "poodle", "name": "Poodle", "confidence": 0.9}"#
                    try await classify(as: #"{"outcome": "accepted", "predictions": [\#(poodle)]}"#, in: browser)
                    try await browser.find("[data-photos]").upload(try folder.photo(.red))
                    try await browser.click("figure:nth-child(3) button")
                    try await browser.wait(for: "Poodle (90%)", in: "[data-recognised]")
                    #expect(try await browser.find("[name=breed]").value() == "Mongrel")
                }
            }
        }

        @Test("Three doors lead from the board to the forms of their cases", arguments: [true, false])
        func doors(runsScripts: Bool) async throws {
            let cases = [("lost", ["name", "reward"]), ("found", ["microchip"]), ("sighted", ["size", "colour"])]
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(Visitor(screen: .phone, language: "it", runsScripts: runsScripts)) { browser in
                    for (status, fields) in cases {
                        try await browser.open(service.base + "/board")
                        try await browser.click(".doors a[href$='status=\(status)']")
                        try await browser.wait(forAddress: "/post?status=\(status)")
                        #expect(try await browser.find("[name=status][value=\(status)]").isSelected())
                        for field in fields {
                            #expect(try await browser.find("[name=\(field)]").isShown(), "\(field)")
                            #expect(try await browser.findAll("[name=\(field)]").count == 1, "\(field)")
                        }
                    }
                    try await browser.open(service.base + "/post?status=reunited")
                    #expect(try await browser.text("h1") == "Pubblica un annuncio")
                    try await browser.open(service.base + "/board?q=cane")
                    #expect(try await browser.findAll(".doors").isEmpty)
                }
            }
        }

        @Test(
            "Whoever saw a missing animal is asked about it, and tells its owner with the same form and photo",
            arguments: [true, false])
        func lookalike(runsScripts: Bool) async throws {
            let folder = try TemporaryFolder()
            try await Scene.empty(hasModel: false) { service in
                let owner = try await service.guest()
                let argo = try await service.post("Argo", 1, owner, #""colour": "nero""#)
                try await Browser.with(Visitor(screen: .phone, runsScripts: runsScripts)) { browser in
                    try await browser.open(service.base + "/post?status=sighted&place=Fisciano+%28SA%29")
                    try await browser.type("nero", into: "[name=colour]")
                    if runsScripts { try await browser.find("[data-photos]").upload(try folder.photo(.red)) }
                    try await browser.click("form.post button.primary")
                    let choice = "[name=same_as][value='\(argo)']"
                    try await browser.find(choice)
                    #expect(try await browser.text("form.post button.primary") == "Continue")
                    if Axe.isAvailable, runsScripts {
                        #expect(try await browser.accessibilityViolations().map(\.description) == [])
                    }
                    try await browser.click(choice)
                    if !runsScripts { try await browser.find("[data-photos]").upload(try folder.photo(.red)) }
                    try await browser.click("form.post button.primary")
                    try await browser.wait(forAddress: "/listings/\(argo)?done=sighting.thanks")
                }
                let sightings = try await service.send("GET", "/v1/listings/\(argo)/sightings", token: owner)
                #expect(sightings.text("sightings", "0", "text") == "nero")
                #expect(sightings["sightings", "0", "photo"] != nil)
            }
        }

        @Test("The photo of a search is carried over to the form, once")
        func carriedPhoto() async throws {
            let folder = try TemporaryFolder()
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(.phone) { browser in
                    try await browser.open(service.base + "/photo-search")
                    try await browser.find("[name=photo]").upload(try folder.photo(.red))
                    try await browser.find("[data-previews] img")
                    let form = service.base + "/post?status=found&lon=14.79&lat=40.77&from=photo"
                    try await browser.wait(for: "the photo") {
                        try await browser.open(form)
                        try await browser.settle()
                        return try await browser.findAll("[data-previews] img").count == 1
                    }
                    #expect(try await browser.find("[name=status][value=found]").isSelected())
                    #expect(try await browser.find("[name=lon]").value() == "14.79")
                }
            }
        }

        @Test("A file that is no photo is told at once, and not shown")
        func noPhoto() async throws {
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "dog.jpg")
            try Data("not a photo".utf8).write(to: file)
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with { browser in
                    try await browser.open(service.base + "/post")
                    try await browser.find("[name=photo]").upload([file, try folder.photo(.red)])
                    try await browser.wait(for: "not a photo that can be read", in: "[data-photo-notice]")
                    #expect(try await browser.findAll("[data-previews] img").count == 1)
                }
            }
        }

        @Test("HEIC and AVIF are posted, also if the browser cannot decode them")
        func heifPhotos() async throws {
            let photos = ["plain.heic", "plain.avif"].map {
                Repository.root.appending(path: "Tests/PhotosTests/Fixtures/\($0)")
            }
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(.phone) { browser in
                    try await browser.open(service.base + "/post?status=lost&place=Fisciano+%28SA%29")
                    try await browser.find("[data-photos]").upload(photos)
                    try await browser.find("figure:nth-child(2) img")
                    try await browser.click("form.post button.primary")
                    try await browser.wait(forAddress: "/listings/")
                }
                let posted = try await service.send("GET", "/v1/listings")["features", "0", "properties", "photos"]?
                    .items
                #expect(posted?.map { $0["width"].number } == [64, 64])
            }
        }

        @Test("Photos are added to those chosen before, put first and removed, and posted in this order")
        func orderedPhotos() async throws {
            let folder = try TemporaryFolder()
            let photos = try [80, 90, 100].map { width in
                let file = folder.url.appending(path: "\(width).png")
                try Data.photo(.red, width, 60).write(to: file)
                return file
            }
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(.phone) { browser in
                    try await browser.open(service.base + "/post?status=lost&place=Fisciano+%28SA%29")
                    for (count, photo) in photos.enumerated() {
                        try await browser.find("[data-photos]").upload(photo)
                        try await browser.find("figure:nth-child(\(count + 1)) img")
                    }
                    try await browser.click("figure:nth-child(3) button")
                    try await browser.click("[aria-label='Remove: Photo 2']")
                    #expect(try await browser.findAll("figure").count == 2)
                    try await browser.click("form.post button.primary")
                    try await browser.wait(forAddress: "/listings/")
                }
                let posted = try await service.send("GET", "/v1/listings")["features", "0", "properties", "photos"]?
                    .items
                #expect(posted?.map { $0["width"].number } == [100, 90])
            }
        }

        @Test("More than six photos are refused with a word")
        func tooManyPhotos() async throws {
            let folder = try TemporaryFolder()
            let photos = try (1...7).map { number in
                let file = folder.url.appending(path: "\(number).png")
                try Data.photo(.red, 80 + number, 60).write(to: file)
                return file
            }
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with { browser in
                    try await browser.open(service.base + "/post")
                    try await browser.find("[name=photo]").upload(photos)
                    try await browser.wait(for: "Only the first six photos are used", in: "[data-photo-notice]")
                    #expect(try await browser.findAll("[data-previews] img").count == 6)
                }
            }
        }
    }
}

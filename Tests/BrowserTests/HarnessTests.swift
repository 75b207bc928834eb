import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("Browser test harness")
    struct HarnessTests {
        private static func page(_ body: String, head: String = "") -> String {
            """
            <!doctype html><html lang="en"><head><title>Page</title><link rel="icon" href="data:,">
            <meta name="viewport" content="width=device-width, initial-scale=1">\(head)</head>
            <body><main><h1>Page</h1>\(body)</main></body></html>
            """
        }

        @Test("A form is filled in by mouse, by keyboard and with a file, and submitted")
        func form() async throws {
            let form = Self.page(
                """
                <form action="/sent"><label>Name <input name="name" value="old"></label>
                <label>When <input name="when" type="date"></label>
                <label>Who <select name="who"><option value="dog">Dog<option value="cat">Cat</select></label>
                <label>Photo <input type="file" onchange="out.textContent = files[0].name + files[0].size"></label>
                <button>Send</button></form><output id="out"></output>
                """
            )
            let folder = try TemporaryFolder()
            let photo = folder.url.appending(path: "argo.png")
            try Data([1, 2, 3]).write(to: photo)
            try await Pages.with(["/": form, "/sent": Self.page("Sent")]) { pages in
                try await Browser.with { browser in
                    try await browser.open(pages.base)
                    try await browser.type("Argò", into: "[name=name]")
                    try await browser.find("[name=when]").set("2026-03-01")
                    try await browser.find("select").select("cat")
                    try await browser.find("[type=file]").upload(photo)
                    try await browser.wait(for: "the file") { try await browser.text("#out") == "argo.png3" }
                    try await browser.find("[type=file]").focus()
                    try await browser.press(.tab)
                    #expect(try await browser.focused()?.accessibleName() == "Send")
                    try await browser.press(.enter)
                    try await browser.wait(for: "the answer") { try await browser.text("main").contains("Sent") }
                    let sent = try #require(URLComponents(string: try await browser.url()))
                    #expect(sent.queryItems?.map(\.value) == ["Argò", "2026-03-01", "cat"])
                    try await browser.back()
                    #expect(try await browser.find("select").property("value") == "cat")
                    #expect(try await browser.find("form").attribute("action") == "/sent")
                    try await browser.find("form").submit()
                    try await browser.wait(for: "the answer") { try await browser.url().contains("/sent?") }
                }
            }
        }

        @Test("Waiting finds elements that appear late and reports those that never appear")
        func waiting() async throws {
            let script =
                "<script>setTimeout(() => document.querySelector('main').innerHTML += '<p>Late</p>', 200)</script>"
            try await Browser.with { browser in
                try await browser.open("data:text/html," + Self.page(script))
                #expect(try await browser.text("p") == "Late")
                #expect(try await browser.findAll("p").count == 1)
                await #expect(throws: WaitTimeout.self) {
                    try await browser.wait(for: "nothing", atMost: .milliseconds(50)) {
                        try await browser.findAll("ol").count > 0
                    }
                }
                #expect(try await browser.script("return Promise.resolve(arguments[0] + 1)", 2) == 3)
            }
        }

        @Test("Pages receive the emulated position if they have permission")
        func location() async throws {
            let script = """
                return new Promise(tell => navigator.geolocation.getCurrentPosition(
                    found => tell([found.coords.longitude, found.coords.latitude]), failure => tell(failure.code)))
                """
            let salerno = try #require(Coordinate(lon: 14.79, lat: 40.68))
            try await Pages.with(["/": Self.page("")]) { pages in
                try await Browser.with(Visitor(whereabouts: .told(salerno))) { browser in
                    try await browser.open(pages.base)
                    #expect(try await browser.script(script) == [14.79, 40.68])
                    try await browser.move(to: .secret)
                    #expect(try await browser.script(script) == 1)
                }
            }
        }

        @Test("Pages see the visitor's colour scheme, language, screen and touch input")
        func visitor() async throws {
            let visitor = Visitor(screen: .phone, scheme: .dark, language: "it")
            let script = """
                const has = query => matchMedia(query).matches
                const day = new Date(0)
                return [has("(prefers-color-scheme: dark)"), has("(prefers-reduced-motion: reduce)"),
                    has("(pointer: coarse)"), navigator.maxTouchPoints > 0, innerWidth, innerHeight, devicePixelRatio,
                    navigator.language, day.toLocaleString(undefined, {month: "long"}), day.getHours()]
                """
            try await Pages.with(["/": Self.page("")]) { pages in
                try await Browser.with(visitor) { browser in
                    try await browser.open(pages.base)
                    #expect(
                        try await browser.script(script)
                            == [true, false, true, true, 390, 844, 2, "it", "gennaio", 1]
                    )
                    try await browser.prefer(.light, lessMotion: true)
                    try await browser.resize(to: .desktop)
                    #expect(
                        try await browser.script(script)
                            == [false, true, false, false, 1280, 900, 1, "it", "gennaio", 1]
                    )
                }
            }
        }

        @Test("Page errors appear in the console")
        func console() async throws {
            let pages = [
                "/good": Self.page("<script>console.log('well')</script>"),
                "/bad": Self.page("<script src='/none.js'></script><script>nothing.here</script>"),
            ]
            try await Pages.with(pages) { pages in
                try await Browser.with { browser in
                    try await browser.open(pages.base + "/good")
                    let remarks = try await browser.console()
                    #expect(remarks.count == 1 && remarks.allSatisfy { !$0.isError })
                    try await browser.open(pages.base + "/bad")
                    let errors = try await browser.consoleErrors()
                    #expect(errors.count == 2)
                    #expect(errors.contains { $0.contains("none.js") } && errors.contains { $0.contains("nothing") })
                    #expect(try await browser.consoleErrors().isEmpty)
                }
            }
        }

        @Test("Accessibility problems are found", .enabled(if: Axe.isAvailable, Axe.absence))
        func accessibility() async throws {
            let strict = "<meta http-equiv='Content-Security-Policy' content=\"script-src 'none'\">"
            let pages = ["/good": Self.page("<p>Well</p>", head: strict), "/bad": Self.page("<img src='data:,'>")]
            try await Pages.with(pages) { pages in
                try await Browser.with { browser in
                    try await browser.open(pages.base + "/good")
                    #expect(try await browser.accessibilityViolations().map(\.description) == [])
                    try await browser.open(pages.base + "/bad")
                    let found = try await browser.accessibilityViolations()
                    #expect(found.map(\.rule) == ["image-alt"] && found.map(\.impact) == ["critical"])
                    #expect(found.first?.places.map(\.selector) == ["img"])
                    #expect(found.first?.description.contains("<img src=") == true)
                }
            }
        }

        @Test("Offline mode also applies to service workers")
        func offline() async throws {
            let worker = """
                addEventListener("install", () => skipWaiting())
                addEventListener("activate", event => event.waitUntil(clients.claim()))
                const kept = () => new Response("<title>Kept</title>", {headers: {"Content-Type": "text/html"}})
                addEventListener("fetch", event => event.respondWith(fetch(event.request).catch(kept)))
                """
            let ready = """
                return navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready)
                    .then(() => true)
                """
            try await Pages.with(["/": Self.page(""), "/worker.js": worker]) { pages in
                try await Browser.with { browser in
                    try await browser.open(pages.base)
                    try await browser.be(.offline)
                    await #expect(throws: WebDriver.Refusal.self) { try await browser.open(pages.base) }
                    try await browser.be(.fine)
                    try await browser.open(pages.base)
                    #expect(try await browser.script(ready) == true)
                    try await browser.be(.offline)
                    #expect(try await browser.script("return navigator.onLine") == false)
                    try await browser.open(pages.base)
                    #expect(try await browser.title() == "Kept")
                    try await browser.be(.fine)
                    try await browser.open(pages.base)
                    #expect(try await browser.title() == "Page")
                }
            }
        }

        @Test("Page costs are measured, and are higher on a slow network")
        func figures() async throws {
            let page = Self.page("<script src='/long.js'></script>")
            try await Pages.with(["/": page, "/long.js": "// \(String(repeating: "x", count: 20_000))"]) { pages in
                try await Browser.with { browser in
                    try await browser.open(pages.base)
                    let fine = try await browser.figures()
                    #expect(fine.requests == 2 && (20_000..<22_000).contains(fine.bytes))
                    #expect(fine.firstContentfulPaint > 0 && fine.load > 0)
                    try await browser.be(.fast3G)
                    try await browser.reload()
                    #expect(try await browser.figures().load >= 2 * Browser.Network.fast3G.latency)
                }
            }
        }

        @Test("Two browsers share no cookies")
        func two() async throws {
            try await Pages.with(["/": Self.page("")]) { pages in
                try await Browser.with { anna in
                    try await Browser.with(.phone) { bruno in
                        try await anna.open(pages.base)
                        try await bruno.open("data:text/html," + Self.page("Bruno"))
                        let cookies = try await anna.cookies()
                        #expect(cookies.map(\.name) == ["visited"] && cookies.allSatisfy(\.isHTTPOnly))
                        #expect(cookies.map(\.sameSite) == ["Lax"])
                        #expect(try await bruno.cookies().isEmpty)
                        try await anna.deleteCookie("visited")
                        #expect(try await anna.cookies().isEmpty)
                    }
                }
            }
        }

        @Test("Dialogs are read and answered")
        func dialogs() async throws {
            let button = "<button onclick=\"setTimeout(() => document.title = confirm('Sure?'))\">Ask</button>"
            try await Browser.with { browser in
                try await browser.open("data:text/html," + Self.page(button))
                try await browser.click("button")
                #expect(try await browser.dialog() == "Sure?")
                try await browser.accept()
                #expect(try await browser.title() == "true")
                try await browser.click("button")
                try await browser.dismiss()
                #expect(try await browser.title() == "false")
            }
        }

        @Test("A browser without scripts shows the plain HTML")
        func withoutScripts() async throws {
            let page = Self.page("<noscript><p>Plain</p></noscript><script>document.title = 'Scripted'</script>")
            try await Pages.with(["/": page]) { pages in
                try await Browser.with(Visitor(runsScripts: false)) { browser in
                    try await browser.open(pages.base)
                    #expect(try await browser.title() == "Page")
                    #expect(try await browser.text("p") == "Plain")
                }
                try await Browser.with { browser in
                    try await browser.open(pages.base)
                    #expect(try await browser.title() == "Scripted")
                }
            }
        }

        @Test(
            "Screenshots have the size of the screen or of the page",
            arguments: [Visitor.Screen.phone, .narrow, .desktop]
        )
        func pictures(screen: Visitor.Screen) async throws {
            try await Browser.with(Visitor(screen: screen)) { browser in
                try await browser.open("data:text/html," + Self.page("<div style='height: 3000px'></div>"))
                let seen = try await browser.screenshot()
                #expect(seen.width == screen.width * screen.density && seen.height == screen.height * screen.density)
                let whole = try await browser.pageScreenshot()
                #expect(whole.height > 3000 * screen.density)
            }
        }

        @Test("The harness reaches the DoggoFinder service")
        func service() async throws {
            try await RunningService.with(hasModel: false) { service in
                try await Browser.with { browser in
                    try await browser.open(service.base + "/healthz")
                    #expect(try await !browser.text("body").isEmpty)
                }
            }
        }
    }
}

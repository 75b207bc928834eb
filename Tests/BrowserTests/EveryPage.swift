import Domain
import Foundation
import ServerSupport
import TestSupport

/// A page in one of its states, and the kind of user who sees it.
struct PageCase: Sendable {
    enum Visitor: Int, Sendable {
        case nobody, guest, anna, carla, admin, banned
    }

    let name: String
    let path: String
    var visitor = Visitor.nobody
    /// Brings the page into the state, before the test looks at it.
    var prepare: @Sendable (Browser) async throws -> Void = { _ in }
}

extension Browser {
    /// Signs in up to the question for a code.
    func enterPassword(of email: String) async throws {
        try await type(email, into: "form[action$=sign-in] [name=email]")
        try await type("correct horse", into: "form[action$=sign-in] [name=password]")
        try await click("form[action$=sign-in] button")
        try await find("form[action$='/sign-in/code']")
    }

    /// Sets up a second factor on its page.
    func turnOnSecondFactor() async throws {
        try await type("correct horse", into: "[name=current_password]")
        try await click("main form button.primary")
        let app = AuthenticatorApp(secret: try await text("code.key"))
        try await type(app.code(), into: "[name=code]")
        try await click("main form button.primary")
        try await find(".codes")
    }

    /// Searches for the number of a microchip.
    func look(for microchip: String) async throws {
        try await type(microchip, into: "[name=number]")
        try await click("form[action$='/microchip'] button")
        try await find("main section h2")
    }
}

extension Scene {
    /// Every page, in each state that changes its appearance.
    var pages: [PageCase] {
        let map = "/map?lon=14.79&lat=40.785&zoom=15"
        return [
            PageCase(name: "board", path: "/board"),
            PageCase(name: "board-empty", path: "/board?q=nothing"),
            PageCase(name: "board-filtered", path: "/board?lon=14.79&lat=40.77&radius=10000&species=dog") {
                try await $0.click(".filters summary")
            },
            PageCase(name: "board-problem", path: "/board?place=Nowhere+at+all&radius=10000"),
            PageCase(name: "board-reading", path: "/board?q=cagnolina+labardor+nera+vicino+a+Fisciano+380260000000009"),
            PageCase(name: "board-suggestions", path: "/board") { browser in
                try await browser.type("black dog fisc", into: "[name=q]")
                try await browser.find("[role=option]")
            },
            PageCase(name: "map-reading", path: "/map?q=labrador+bianco+Fisciano"),
            PageCase(name: "map", path: map) { browser in try await browser.find(".pin") },
            PageCase(name: "map-listing", path: map) { browser in
                try await browser.click(".pin.found")
                try await browser.find(".leaflet-popup .card")
                // The outline of the cell that stands for the dog's approximate position.
                try await browser.find("path.area")
                try await browser.settle()
            },
            PageCase(name: "map-group", path: map) { browser in
                try await browser.click(".pin.group")
                try await browser.click(".pin.lost")
                try await browser.find(".leaflet-popup .card")
                try await browser.settle()
            },
            PageCase(name: "map-help", path: map) { browser in
                try await browser.click("[name=category][value=veterinary]")
                try await browser.click(".pin.poi")
                try await browser.find(".leaflet-popup strong")
                try await browser.settle()
            },
            PageCase(name: "post", path: "/post"),
            PageCase(name: "post-unfolded", path: "/post") { browser in try await browser.unfold() },
            PageCase(name: "post-map", path: "/post") { browser in
                try await browser.click(".picker summary")
                try await browser.find(".picker .leaflet-container")
            },
            PageCase(name: "listing", path: "/listings/\(argo)"),
            PageCase(name: "listing-own", path: "/listings/\(argo)", visitor: .anna),
            PageCase(name: "listing-posted", path: "/listings/\(luna)?posted", visitor: .guest),
            PageCase(name: "listing-help", path: "/listings/\(argo)?help", visitor: .anna),
            PageCase(name: "listing-reunited", path: "/listings/\(reunited)", visitor: .anna),
            PageCase(name: "matches", path: "/listings/\(argo)/matches", visitor: .anna),
            PageCase(name: "matches-visitor", path: "/listings/\(luna)/matches"),
            PageCase(name: "matches-same", path: "/listings/\(argo)/matches?side=same", visitor: .admin),
            PageCase(name: "animal", path: "/about") { browser in
                let owner = try await service.guest()
                func see(_ hour: Int) async throws -> String {
                    try await service.post(
                        """
                        {"status": "sighted", "lon": \(9.19 + Double(hour) / 100), "lat": 45.46,
                         "last_seen_at": "2026-02-02T0\(hour):00:00Z"}
                        """,
                        owner
                    )
                }
                let (first, second) = (try await see(6), try await see(8))
                let match = "/v1/listings/\(first)/matches/\(second)"
                _ = try await service.send("PUT", match, #"{"answer": "yes"}"#, token: owner)
                try await browser.open(service.base + "/listings/\(second)/animal")
                try await browser.find("ol.way")
            },
            PageCase(name: "edit", path: "/listings/\(argo)/edit", visitor: .anna),
            PageCase(name: "delete", path: "/listings/\(argo)/delete", visitor: .anna),
            PageCase(name: "write", path: "/listings/\(argo)/write"),
            PageCase(name: "write-problem", path: "/listings/\(argo)/write") { browser in
                try await browser.script(
                    "document.querySelector('main form').noValidate = true; document.querySelector('main form').submit()"
                )
                try await browser.find(".notice.problem")
            },
            PageCase(name: "sighting", path: "/listings/\(argo)/sighting"),
            PageCase(name: "sighting-problem", path: "/listings/\(argo)/sighting") { browser in
                try await browser.type("Nowhere at all", into: "[name=place]")
                try await browser.find("form.post").submit()
                try await browser.find("#error-place")
            },
            PageCase(name: "listing-sightings", path: "/listings/\(argo)", visitor: .anna) { browser in
                // The text differs each time, because the same text is accepted only a few times.
                let place = #"{"place": "Fisciano", "text": "By the river, \#(UUID().uuidString.prefix(4))."}"#
                for token in [guest, anna] {
                    _ = try await service.send("POST", "/v1/listings/\(argo)/sightings", place, token: token)
                }
                try await browser.reload()
                try await browser.find(".sightings .proposed")
            },
            PageCase(name: "sighting-write", path: "/listings/\(argo)", visitor: .anna) { browser in
                let seen = #"{"place": "Fisciano", "text": "By the bridge, \(UUID().uuidString.prefix(4))."}"#
                _ = try await service.send(
                    "POST",
                    "/v1/listings/\(argo)/sightings",
                    seen,
                    token: try await service.guest()
                )
                try await browser.reload()
                try await browser.click(".sightings a[href$='/write']")
                try await browser.find("form[action*='/sightings/']")
            },
            PageCase(name: "tracks", path: "/listings/\(argo)/tracks", visitor: .anna),
            PageCase(name: "tracks-problem", path: "/listings/\(argo)/tracks", visitor: .anna) { browser in
                try await browser.script(
                    "document.querySelector('main form').noValidate = true; document.querySelector('main form').submit()"
                )
                try await browser.find(".notice.problem")
            },
            PageCase(name: "inbox", path: "/inbox", visitor: .anna),
            PageCase(name: "inbox-guest", path: "/inbox", visitor: .guest),
            PageCase(name: "inbox-listing", path: "/inbox?listing=\(argo)", visitor: .anna),
            PageCase(name: "inbox-empty", path: "/inbox"),
            PageCase(name: "inbox-search", path: "/inbox?q=cane+argo", visitor: .anna),
            PageCase(name: "inbox-nothing", path: "/inbox?q=gatta+zoppa", visitor: .anna),
            PageCase(name: "conversation", path: "/inbox/\(conversation)", visitor: .anna) { browser in
                try await browser.script("for (const part of document.querySelectorAll('details')) part.open = true")
            },
            PageCase(name: "conversation-photo", path: "/inbox/\(conversation)", visitor: .anna) { browser in
                try await service.addPhotos(argo, conversation, guest)
                try await browser.reload()
                try await browser.find(".letters .attached img")
            },
            PageCase(name: "conversation-writer", path: "/inbox/\(conversation)", visitor: .guest),
            PageCase(name: "my", path: "/my", visitor: .anna),
            PageCase(name: "my-guest", path: "/my", visitor: .guest),
            PageCase(name: "my-empty", path: "/my"),
            PageCase(name: "alerts", path: "/my/alerts", visitor: .anna),
            PageCase(name: "alerts-empty", path: "/my/alerts"),
            PageCase(name: "alerts-problem", path: "/my/alerts") { browser in
                try await browser.type("Nowhere123", into: "main form [name=place]")
                try await browser.click("main form button.primary")
                try await browser.find(".notice.problem")
            },
            PageCase(name: "unsubscribe-unknown", path: "/unsubscribe/none"),
            PageCase(name: "table", path: "/my/table", visitor: .anna),
            PageCase(name: "animal-record", path: "/listings/\(argo)/record", visitor: .anna),
            PageCase(name: "table-empty", path: "/my/table?q=nothing", visitor: .anna),
            PageCase(name: "organisation", path: "/organisations/\(organisation)"),
            PageCase(name: "organisation-members", path: "/account/organisations/\(organisation)", visitor: .anna),
            PageCase(
                name: "organisation-actions", path: "/account/organisations/\(organisation)/actions", visitor: .anna),
            PageCase(
                name: "organisation-social", path: "/account/organisations/\(organisation)/social", visitor: .anna),
            PageCase(
                name: "organisation-matches", path: "/account/organisations/\(organisation)/matches", visitor: .anna),
            PageCase(name: "organisations", path: "/account/organisations", visitor: .anna),
            PageCase(name: "organisations-guest", path: "/account/organisations", visitor: .guest),
            PageCase(name: "imports", path: "/my/imports", visitor: .anna),
            PageCase(name: "imports-guest", path: "/my/imports", visitor: .guest),
            PageCase(name: "imports-problem", path: "/my/imports", visitor: .anna) { browser in
                try await browser.script(
                    "document.querySelector('main form').noValidate = true; document.querySelector('main form').submit()"
                )
                try await browser.find(".notice.problem")
            },
            PageCase(name: "import", path: "/my/imports", visitor: .anna) { browser in
                try await service.addImport(anna)
                try await browser.reload()
                try await browser.click("section.import h2 a")
                try await browser.find(".import-counts")
            },
            PageCase(name: "account", path: "/account", visitor: .anna),
            PageCase(name: "account-guest", path: "/account", visitor: .guest),
            PageCase(name: "account-problem", path: "/account") { browser in
                try await browser.type("anna@example.org", into: "form[action$=sign-in] [name=email]")
                try await browser.type("wrong horse", into: "form[action$=sign-in] [name=password]")
                try await browser.click("form[action$=sign-in] button")
                try await browser.find(".notice.problem")
            },
            PageCase(name: "second-factor", path: "/account/second-factor", visitor: .anna),
            PageCase(name: "second-factor-enrolment", path: "/account/second-factor", visitor: .anna) { browser in
                try await browser.type("correct horse", into: "[name=current_password]")
                try await browser.click("main form button.primary")
                try await browser.find("svg.qr")
            },
            PageCase(name: "second-factor-on", path: "/account/second-factor", visitor: .carla),
            PageCase(name: "second-factor-problem", path: "/account/second-factor", visitor: .carla) { browser in
                let form = "form[action$='/remove'] "
                try await browser.type("correct horse", into: form + "[name=current_password]")
                try await browser.type("000 000", into: form + "[name=code]")
                try await browser.click(form + "button.danger")
                try await browser.find(".notice.problem")
            },
            PageCase(name: "account-second-factor", path: "/account", visitor: .carla),
            // The codes are shown only once, so each visit needs another account.
            PageCase(name: "recovery-codes", path: "/account", visitor: .carla) { browser in
                let token = try await service.register("\(UUID().uuidString)@example.org")
                try await browser.hold(token, at: service)
                try await browser.open(service.base + "/account/second-factor")
                try await browser.turnOnSecondFactor()
            },
            PageCase(name: "sign-in-code", path: "/account") { browser in
                try await browser.enterPassword(of: "carla@example.org")
            },
            PageCase(name: "sign-in-code-problem", path: "/account") { browser in
                try await browser.enterPassword(of: "carla@example.org")
                try await browser.script("document.querySelector('main details').open = true")
                try await browser.type("aaaa-aaaa-aaaa-aaaa", into: "[name=recovery_code]")
                try await browser.click("main form button.primary")
                try await browser.find(".notice.problem")
            },
            PageCase(name: "account-new-password", path: "/account/new-password?token=x"),
            PageCase(name: "account-verify", path: "/account/verify?token=x"),
            PageCase(name: "account-reset", path: "/account/reset"),
            PageCase(name: "account-delete", path: "/account/delete", visitor: .anna),
            PageCase(name: "photo-search", path: "/photo-search"),
            PageCase(name: "microchip", path: "/microchip"),
            PageCase(name: "microchip-known", path: "/microchip") { try await $0.look(for: "380260000000001") },
            PageCase(name: "microchip-unknown", path: "/microchip") { try await $0.look(for: "380260000000002") },
            PageCase(name: "embed", path: "/embed"),
            PageCase(name: "about", path: "/about"),
            PageCase(name: "statistics", path: "/statistics") { browser in
                try await browser.script("for (const part of document.querySelectorAll('details')) part.open = true")
            },
            PageCase(name: "imprint", path: "/imprint"),
            PageCase(name: "privacy", path: "/privacy"),
            PageCase(name: "offline", path: "/offline"),
            PageCase(name: "api", path: "/api") { browser in
                try await browser.script("for (const part of document.querySelectorAll('details')) part.open = true")
            },
            PageCase(name: "missing", path: "/listings/00000000-0000-4000-8000-000000000000"),
            PageCase(name: "forbidden", path: "/listings/\(argo)/edit"),
            PageCase(name: "report", path: "/report?subject=listing&id=\(argo)"),
            PageCase(name: "report-own", path: "/report?subject=listing&id=\(luna)", visitor: .guest) { browser in
                try await browser.click("[name=reason][value=scam]")
                try await browser.click("main form button")
                try await browser.find(".notice.problem")
            },
            PageCase(name: "listing-hidden", path: "/listings/\(hidden)", visitor: .guest),
            PageCase(name: "report-appeal", path: "/report?subject=listing&id=\(hidden)", visitor: .guest),
            PageCase(name: "moderation", path: "/moderation?sort=-reports", visitor: .admin),
            PageCase(name: "moderation-confirmation", path: "/moderation?sort=-reports", visitor: .admin) { browser in
                try await browser.click("button[value=hide]")
                try await browser.find("[name=confirmed]")
            },
            PageCase(name: "moderation-signed-out", path: "/moderation"),
            PageCase(name: "moderation-search", path: "/moderation?q=cane", visitor: .admin),
            PageCase(name: "moderation-empty", path: "/moderation?status=dismissed", visitor: .admin),
            PageCase(name: "audit", path: "/moderation/audit", visitor: .admin),
            PageCase(name: "site-social", path: "/moderation/social", visitor: .admin),
            PageCase(name: "banned", path: "/account", visitor: .banned),
            PageCase(name: "post-problem", path: "/post") { browser in
                try await browser.click(".choice.lost input")
                try await browser.type("Nowhere at all", into: "[name=place]")
                try await browser.find("form.post").submit()
                try await browser.find("#error-place")
            },
        ]
    }

    /// Opens the pages one after the other, signed in as each page requires.
    func visit(_ pages: [PageCase], with browser: Browser, _ look: (PageCase) async throws -> Void) async throws {
        var visitor: PageCase.Visitor?
        for page in pages.sorted(by: { $0.visitor.rawValue < $1.visitor.rawValue }) {
            if page.visitor != visitor {
                switch page.visitor {
                case .nobody: break
                case .guest: try await browser.hold(guest, at: service)
                case .anna: try await browser.hold(anna, at: service)
                case .carla: try await browser.hold(carla, at: service)
                case .admin: try await browser.hold(admin, at: service)
                case .banned: try await browser.hold(banned, at: service)
                }
                visitor = page.visitor
            }
            try await browser.open(service.base + page.path)
            try await page.prepare(browser)
            try await look(page)
        }
    }
}

extension Browser {
    /// Waits until all animations have ended.
    func settle() async throws {
        try await wait(for: "stillness") {
            try await script(
                """
                const busy = document.querySelector(".leaflet-pan-anim, .leaflet-zoom-anim") != null
                const place = () => JSON.stringify([...document.querySelectorAll(".leaflet-map-pane, .leaflet-popup")]
                    .map(part => part.getBoundingClientRect()))
                const before = place()
                return new Promise(resolve => setTimeout(() => resolve(
                    !busy && before == place() && document.getAnimations().every(one => one.playState != "running")), 120))
                """
            ) == true
        }
    }
}

extension RunningService {
    /// Imports a file with mistakes as a trial, and waits until it has ended.
    fileprivate func addImport(_ token: String) async throws {
        let file =
            "reference,status,last_seen_at,place,weather,phone\nA,lost,3/4/2025,Salerno,rain,\nB,gone,5/6/2025,Nowhere,,089 123456\n"
            + "C,lost,5/6/2025,Fiscano,,\nD,lost,5/6/2025,,,\n"
        let answer = try await send(
            "POST",
            "/v1/imports?dry_run=true",
            bytes: Data(file.utf8),
            token,
            ["Content-Type": "text/csv"]
        )
        guard let id = answer.text("id") else { return }
        try await until("the end of the import") {
            try await send("GET", "/v1/imports/\(id)", token: token)["ended_at"] != .null
        }
    }
}

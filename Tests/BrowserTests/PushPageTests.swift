import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("Notifications")
    struct PushPageTests {
        private func allow(_ permission: String, _ browser: Browser, at service: RunningService) async throws {
            try await browser.session.devTools(
                "Browser.setPermission",
                [
                    "permission": ["name": "notifications"], "setting": .string(permission),
                    "origin": .string(service.base),
                ]
            )
        }

        /// Runs a script in the service worker once. A worker that is just starting or ending may lose it, so it is sent
        /// until it leaves a mark.
        private func runInWorker(_ script: String, _ browser: Browser) async throws {
            let mark = "/ran/\(UUID().uuidString)"
            let once = """
                if (!(self.ran ??= new Set()).has("\(mark)")) {
                    ran.add("\(mark)");
                    \(script);
                    caches.open("ran").then((kept) => kept.put("\(mark)", new Response()));
                }
                """
            try await browser.wait(for: "the worker") {
                try await sendToWorker(once, browser)
                try await Task.sleep(for: .milliseconds(100))
                return try await browser.script("return caches.match('\(mark)').then((kept) => !!kept)") == true
            }
        }

        private func sendToWorker(_ script: String, _ browser: Browser) async throws {
            let targets = try await browser.session.devTools("Target.getTargets")["targetInfos"].items
            guard let worker = targets.first(where: { $0["type"] == "service_worker" }) else {
                // A message starts it again.
                try await browser.script(
                    "return navigator.serviceWorker.ready.then(({ active }) => active.postMessage(null))"
                )
                return
            }
            let attached = try await browser.session.devTools(
                "Target.attachToTarget",
                ["targetId": worker["targetId"], "flatten": false]
            )
            let command: JSONValue = [
                "id": 1, "method": "Runtime.evaluate", "params": ["expression": .string(script)],
            ]
            let message = String(decoding: try JSONEncoder().encode(command), as: UTF8.self)
            try await browser.session.devTools(
                "Target.sendMessageToTarget",
                ["sessionId": attached["sessionId"], "message": .string(message)]
            )
        }

        @Test("The service worker shows a pushed notification, and a click on it opens its page of this site only")
        func notification() async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with { browser in
                    try await browser.open(service.base + "/board")
                    try await allow("granted", browser, at: service)
                    try await browser.waitForServiceWorker()
                    for path in ["/inbox/abc", "//evil.example/"] {
                        let data =
                            #"{"title": "New message", "body": "Open it", "tag": "\#(path)", "path": "\#(path)", "lang": "en"}"#
                        // `ServiceWorker.deliverPushMessage` needs the id of a registration, which WebDriver cannot learn.
                        try await runInWorker(
                            "self.dispatchEvent(new PushEvent('push', { data: JSON.stringify(\(data)) }))",
                            browser
                        )
                    }
                    let shown = """
                        return navigator.serviceWorker.ready.then(async (registration) =>
                            (await registration.getNotifications()).map(({ title, body, tag }) => [title, body, tag].join()))
                        """
                    try await browser.wait(for: "the notifications") {
                        try await browser.script(shown).items.count == 2
                    }
                    #expect(try await browser.script(shown).items.contains("New message,Open it,/inbox/abc"))
                    // Only a tap of the reader may open windows.
                    try await runInWorker(
                        """
                        (async () => {
                            const opened = []
                            Clients.prototype.openWindow = async (address) => opened.push(address)
                            for (const notification of await registration.getNotifications()) {
                                self.dispatchEvent(new NotificationEvent("notificationclick", { notification }))
                            }
                            await new Promise((resolve) => setTimeout(resolve, 500))
                            await (await caches.open("opened")).put("/opened", new Response(JSON.stringify(opened)))
                        })()
                        """,
                        browser
                    )
                    let opened =
                        "return caches.match('/opened').then((answer) => answer ? answer.json() : null)"
                    try await browser.wait(for: "the page") { try await browser.script(opened) != .null }
                    #expect(try await browser.script(opened) == [.string(service.base + "/inbox/abc")])
                    #expect(try await browser.script(shown).items.isEmpty)
                }
            }
        }

        @Test(
            "Who reported a sighting or wrote is offered notifications of the answer; iPhones are told what they need first"
        )
        func offers() async throws {
            try await Scene.empty(hasModel: false) { service in
                let argo = try await service.post("Argo", 1, try await service.guest())
                try await Browser.with(.phone) { browser in
                    try await browser.open(service.base + "/listings/\(argo)/write")
                    try await browser.type("I have seen him.", into: "[name=text]")
                    try await browser.click("form.post button.primary")
                    try await browser.wait(forAddress: "/inbox/")
                    try await browser.wait(for: "the button") { try await browser.find("[data-push-on]").isShown() }
                    try await browser.session.devTools(
                        "Page.addScriptToEvaluateOnNewDocument",
                        ["source": "delete window.PushManager; navigator.standalone = false"]
                    )
                    try await browser.open(service.base + "/listings/\(argo)?done=sighting.thanks")
                    try await browser.wait(for: "Add to Home Screen", in: "[data-push-install]")
                    #expect(try await browser.find("[data-push-on]").isShown() == false)
                }
            }
        }

        @Test("The button subscribes this device and unsubscribes it")
        func button() async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with { browser in
                    let guest = try await service.guest()
                    try await browser.hold(guest, at: service)
                    try await allow("granted", browser, at: service)
                    // The browser cannot reach a push service.
                    try await browser.session.devTools(
                        "Page.addScriptToEvaluateOnNewDocument",
                        [
                            "source": .string(
                                """
                                let current = null
                                PushManager.prototype.getSubscription = async () => current
                                PushManager.prototype.subscribe = async () => current = {
                                    toJSON: () => (\(TestBrowser().subscription("https://push.example.org/a"))),
                                    unsubscribe: async () => { current = null },
                                    options: {},
                                }
                                """
                            )
                        ]
                    )
                    try await browser.open(service.base + "/account")
                    try await browser.wait(for: "the button") {
                        try await browser.find("[data-push-on]").isShown()
                    }
                    try await browser.click("[data-push-on]")
                    try await browser.wait(for: "This device shows notifications.", in: "[data-push-status]")
                    let path = "/v1/me/push-subscriptions"
                    let list = try await service.send("GET", path, token: guest)
                    #expect(list.text("push_subscriptions", "0", "service") == "push.example.org")
                    try await browser.click("[data-push-off]")
                    try await browser.wait(for: "the end") {
                        try await service.send("GET", path, token: guest)["push_subscriptions"] == []
                    }
                }
            }
        }

        @Test("A subscription by which the browser replaces another one is stored")
        func replaced() async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with { browser in
                    let guest = try await service.guest()
                    try await browser.hold(guest, at: service)
                    try await browser.open(service.base + "/board")
                    try await browser.waitForServiceWorker()
                    try await runInWorker(
                        """
                        const event = new ExtendableEvent("pushsubscriptionchange");
                        event.newSubscription = \(TestBrowser().subscription("https://push.example.org/b"));
                        self.dispatchEvent(event)
                        """,
                        browser
                    )
                    try await browser.wait(for: "the subscription") {
                        let list = try await service.send("GET", "/v1/me/push-subscriptions", token: guest)
                        return list.text("push_subscriptions", "0", "service") == "push.example.org"
                    }
                }
            }
        }

        @Test("Where notifications are blocked, the page says how to allow them")
        func blocked() async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with { browser in
                    try await browser.hold(try await service.guest(), at: service)
                    try await allow("denied", browser, at: service)
                    try await browser.open(service.base + "/inbox")
                    try await browser.wait(for: "are blocked", in: "[data-push-status]")
                    #expect(try await !browser.find("[data-push-on]").isShown())
                }
            }
        }
    }
}

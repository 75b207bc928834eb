import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("My listings")
    struct MyListingsPageTests {
        @Test(
            "One's own listings are searched, filtered and sorted, and hidden ones are marked",
            arguments: [true, false]
        )
        func search(runsScripts: Bool) async throws {
            try await Scene.with { scene in
                try await Browser.with(Visitor(screen: .phone, runsScripts: runsScripts)) { browser in
                    try await browser.hold(scene.guest, at: scene.service)
                    try await browser.open(scene.service.base + "/my")
                    #expect(try await browser.titles() == ["Rex", "Luna"])
                    #expect(try await browser.text(".mine .notice.problem") == "Hidden by a moderator")
                    try await browser.open(scene.service.base + "/my?sort=created_at")
                    #expect(try await browser.titles() == ["Luna", "Rex"])
                    try await browser.type("luna", into: "[name=q]")
                    try await browser.click(".filters button[type=submit]")
                    try await browser.wait(forAddress: "q=luna")
                    #expect(try await browser.titles() == ["Luna"])
                    try await browser.open(scene.service.base + "/my?status=reunited")
                    #expect(try await browser.text(".empty").contains("None of your listings match."))
                    try await browser.open(scene.service.base + "/my?status=found")
                    #expect(try await browser.titles() == ["Luna"])
                    try await browser.open(scene.service.base + "/my?q=%21")
                    #expect(try await browser.find(".notice.problem").isShown())
                }
            }
        }
    }
}

extension Browser {
    fileprivate func titles() async throws -> [String] {
        var titles: [String] = []
        for title in try await findAll(".mine h2") { titles.append(try await title.text()) }
        return titles
    }
}

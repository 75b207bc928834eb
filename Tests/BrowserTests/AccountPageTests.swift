import Domain
import ServerSupport
import Testing

extension InBrowser {
    @Suite("Account pages")
    struct AccountPageTests {
        private func signIn(_ browser: Browser, _ password: String, at service: RunningService) async throws {
            try await browser.open(service.base + "/account")
            try await browser.type("anna@example.org", into: "form[action$=sign-in] [name=email]")
            try await browser.type(password, into: "form[action$=sign-in] [name=password]")
            try await browser.click("form[action$=sign-in] button")
        }

        @Test("A guest who registers keeps their listings and sees them in every browser")
        func register() async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with { phone in
                    let guest = try await service.guest()
                    _ = try await service.post("Argo", 1, guest)
                    try await phone.hold(guest, at: service)
                    try await phone.open(service.base + "/my")
                    try await phone.click(".guest a")
                    try await phone.type("anna@example.org", into: "form[action$=register] [name=email]")
                    try await phone.type("correct horse", into: "form[action$=register] [name=password]")
                    let password = try await phone.find("form[action$=register] [name=password]")
                    try await phone.click("form[action$=register] button[aria-pressed]")
                    #expect(try await password.attribute("type") == "text")
                    #expect(try await phone.findAll("[name=password_repeat]").isEmpty)
                    try await phone.type("Anna", into: "form[action$=register] [name=first_name]")
                    try await phone.type("089 1234567", into: "form[action$=register] [name=phone]")
                    try await phone.click("form[action$=register] button[type=submit]")
                    try await phone.wait(for: "Welcome!", in: ".notice")
                    #expect(try await phone.text(".card h2") == "Argo")
                    #expect(try await phone.findAll(".guest").isEmpty)
                    try await phone.open(service.base + "/account")
                    try await phone.click("form[action$=sign-out] button")
                    try await phone.find("form[action$=sign-in]")
                    try await phone.open(service.base + "/my")
                    #expect(try await phone.findAll(".card").isEmpty)
                }
                try await Browser.with { other in
                    try await signIn(other, "wrong horse", at: service)
                    try await other.wait(for: "The e-mail address or the password is wrong.", in: ".notice.problem")
                    try await signIn(other, "correct horse", at: service)
                    try await other.wait(forAddress: "/my")
                    #expect(try await other.text(".card h2") == "Argo")
                    let cookie = try #require(try await other.cookies().first { $0.name == "doggofinder" })
                    #expect(cookie.isHTTPOnly && cookie.sameSite == "Lax")
                }
            }
        }

        @Test("The profile fills in contacts, the password changes, and deletion needs two confirmations")
        func profile() async throws {
            try await Scene.empty(hasModel: false) { service in
                let token = try await service.register("anna@example.org")
                _ = try await service.post("Argo", 1, token)
                try await Browser.with { browser in
                    try await signIn(browser, "correct horse", at: service)
                    try await browser.wait(forAddress: "/my")
                    try await browser.open(service.base + "/account")
                    #expect(try await browser.find("[name=first_name]").value() == "Anna")
                    try await browser.type("+39 333 7654321", into: "[name=phone]")
                    try await browser.click("form[action$=profile] button")
                    try await browser.wait(for: "Saved.", in: ".notice")
                    try await browser.open(service.base + "/post")
                    #expect(try await browser.find("[name=contact_name]").value() == "Anna")
                    #expect(try await browser.find("[name=contact_phone]").value() == "+39 333 7654321")
                    #expect(try await browser.find("[name=contact_email]").value() == "anna@example.org")
                    #expect(try await browser.find("[name=contact_phone_public]").isSelected() == false)

                    try await changePassword(browser, from: "wrong horse", at: service)
                    try await browser.wait(for: "is not right", in: ".notice.problem")
                    try await changePassword(browser, from: "correct horse", at: service)
                    try await browser.wait(for: "Your password was changed", in: ".notice")
                    try await browser.click("form[action$=sign-out] button")
                    try await signIn(browser, "battery staple", at: service)
                    try await browser.wait(forAddress: "/my")

                    try await browser.open(service.base + "/account")
                    try await browser.click("a[href$='/account/delete']")
                    try await browser.click("main .actions a")
                    try await browser.wait(for: "the way back") { try await browser.url().hasSuffix("/account") }
                    try await browser.click("a[href$='/account/delete']")
                    try await browser.click("main button.danger")
                    try await browser.wait(forAddress: "/board")
                    #expect(try await browser.cards().isEmpty)
                    try await signIn(browser, "battery staple", at: service)
                    try await browser.wait(for: "The e-mail address or the password is wrong.", in: ".notice.problem")
                }
            }
        }

        private func changePassword(_ browser: Browser, from old: String, at service: RunningService) async throws {
            try await browser.open(service.base + "/account")
            try await browser.type(old, into: "[name=current_password]")
            try await browser.type("battery staple", into: "form[action$=password] [name=password]")
            try await browser.click("form[action$=password] button[type=submit]")
        }
    }
}

import Domain
import Foundation
import ServerSupport
import Testing

extension InBrowser {
    @Suite("Pages of the second factor")
    struct SecondFactorPageTests {
        private func signIn(_ browser: Browser, at service: RunningService) async throws {
            try await browser.open(service.base + "/account")
            try await browser.type("anna@example.org", into: "form[action$=sign-in] [name=email]")
            try await browser.type("correct horse", into: "form[action$=sign-in] [name=password]")
            try await browser.click("form[action$=sign-in] button")
        }

        /// Types a code that was not used. That of the next time step is accepted before its time.
        private func typeNewCode(_ app: AuthenticatorApp, after used: String, into browser: Browser) async throws {
            let code = app.code()
            try await browser.type(code == used ? app.code(ahead: 1) : code, into: "[name=code]")
        }

        @Test("A person sets up a second factor by QR code, signs in with a code, and removes it with a recovery code")
        func story() async throws {
            try await Scene.empty(hasModel: false) { service in
                _ = try await service.register("anna@example.org")
                try await Browser.with { browser in
                    try await signIn(browser, at: service)
                    try await browser.wait(forAddress: "/my")
                    try await browser.open(service.base + "/account")
                    try await browser.click("a[href$='/account/second-factor']")
                    try await browser.type("correct horse", into: "[name=current_password]")
                    try await browser.click("main form button.primary")
                    try await browser.find("svg.qr")
                    let app = AuthenticatorApp(secret: try await browser.text("code.key"))
                    try await browser.type(app.wrongCode(), into: "[name=code]")
                    try await browser.click("main form button.primary")
                    try await browser.wait(for: "The code is not right.", in: ".notice.problem")
                    let code = app.code()
                    try await browser.type(code, into: "[name=code]")
                    try await browser.click("main form button.primary")
                    try await browser.find(".codes")
                    let recoveryCode = try await browser.text(".codes li")
                    #expect(try await browser.findAll(".codes li").count == 10)
                    try await browser.click("main .button.primary")
                    try await browser.click("form[action$=sign-out] button")

                    try await signIn(browser, at: service)
                    try await browser.find("[name=code][autocomplete=one-time-code][inputmode=numeric]")
                    try await typeNewCode(app, after: code, into: browser)
                    try await browser.click("main form button.primary")
                    try await browser.wait(for: "Welcome!", in: ".notice")

                    try await browser.open(service.base + "/account/second-factor")
                    let form = "form[action$='/remove'] "
                    try await browser.type("correct horse", into: form + "[name=current_password]")
                    try await browser.click(form + "summary")
                    try await browser.type(recoveryCode, into: form + "[name=recovery_code]")
                    try await browser.click(form + "button.danger")
                    try await browser.wait(for: "Two-step verification is off.", in: ".notice")
                }
            }
        }
    }
}

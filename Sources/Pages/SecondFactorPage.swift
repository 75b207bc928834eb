package import Domain
import Flyer
import Foundation
import Localization
package import Mustache

/// The page to set up and remove the second factor of an account.
package struct SecondFactorPage: Page {
    package enum State: Sendable {
        case off
        /// Shows a secret, and asks for its first code.
        case enrolment(secret: String, address: String, sealed: String)
        case on(since: Timestamp, recoveryCodesLeft: Int)
    }

    /// The forms of the page. The raw value is the last part of the path that receives it.
    package enum Form: String, CaseIterable, Sendable {
        case begin = ""
        case confirm
        case codes
        case remove
    }

    package let template = "second-factor"
    package let section = PageSection.account
    let state: State
    /// Whether the account may do nothing else before it has a second factor.
    let isRequired: Bool
    let email: String
    let rejection: (form: Form, problem: ServiceError)?

    package init(
        _ state: State,
        isRequired: Bool,
        email: String,
        rejection: (form: Form, problem: ServiceError)? = nil
    ) {
        self.state = state
        self.isRequired = isRequired
        self.email = email
        self.rejection = rejection
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        var values: [String: any TemplateValue] = [
            "title": localizer("factor.title"), "isRequired": isRequired, "email": email,
            "isOff": false, "isOn": false, "isEnrolment": false,
        ]
        for form in Form.allCases { values["\(form)Form"] = content(of: form, localizer) }
        switch state {
        case .off:
            values["isOff"] = true
        case .enrolment(let secret, let address, let sealed):
            values["isEnrolment"] = true
            values["secret"] = Self.grouped(secret)
            values["address"] = address
            values["sealed"] = sealed
            // The address is shorter than the longest that a code can hold.
            if let code = try? QRCode(address) { values["qr"] = Self.content(of: code) }
        case .on(let since, let left):
            values["isOn"] = true
            values["since"] = localizer("factor.onSince", ["time": localizer.moment(since)])
            values["left"] = localizer(left == 1 ? "factor.left.one" : "factor.left", ["n": String(left)])
        }
        return values
    }

    private func content(of form: Form, _ localizer: Localizer) -> [String: any TemplateValue] {
        guard let rejection, rejection.form == form else { return ["problem": ""] }
        return [
            "problem": localizer.problem(rejection.problem), "e": [rejection.problem.field ?? "form": true],
        ]
    }

    /// Four letters at a time, because people type them.
    private static func grouped(_ secret: String) -> String {
        let letters = Array(secret)
        return stride(from: 0, to: letters.count, by: 4)
            .map { String(letters[$0..<min($0 + 4, letters.count)]) }.joined(separator: " ")
    }

    private static func content(of code: QRCode) -> [String: any TemplateValue] {
        let margin = Int(QRCode.quietZone)
        return ["path": code.path, "start": -margin, "size": code.side + 2 * margin]
    }
}

/// Shows new recovery codes, once.
package struct RecoveryCodesPage: Page {
    package let template = "recovery-codes"
    package let section = PageSection.account
    let codes: [String]
    let email: String
    let siteName: String

    package init(_ codes: [String], email: String, siteName: String) {
        self.codes = codes
        self.email = email
        self.siteName = siteName
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let title = compose.localizer("factor.codesTitle")
        return [
            "title": title, "codes": codes.map { ["code": $0] as [String: any TemplateValue] },
            "owner": compose.localizer("factor.codesFor", ["email": email, "site": siteName]),
        ]
    }
}

/// The second step of a sign-in: asks for a code.
package struct SignInCodePage: Page {
    package let template = "sign-in-code"
    package let section = PageSection.account
    let ticket: String
    /// The path and query of the page to show after the sign-in.
    let next: String?
    let problem: ServiceError?
    /// Whether the recovery code was rejected, and not that of the app.
    let isRecovery: Bool

    package init(ticket: String, next: String?, problem: ServiceError? = nil, isRecovery: Bool = false) {
        self.ticket = ticket
        self.next = next
        self.problem = problem
        self.isRecovery = isRecovery
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        [
            "title": compose.localizer("factor.codeTitle"), "ticket": ticket, "next": next ?? "",
            "problem": problem.map(compose.localizer.problem) ?? "", "isRecovery": isRecovery,
        ]
    }
}

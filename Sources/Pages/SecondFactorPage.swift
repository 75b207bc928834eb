package import Domain
import Flyer
import Foundation
import Localization
import Mustache

/// The page to set up and remove the second factor of an account.
package struct SecondFactorView: PageView {
    package static let template = "second-factor"
    /// Whether the account may do nothing else before it has a second factor.
    let isRequired: Bool
    /// The form to begin, if there is no second factor.
    let begin: FormView?
    let enrolment: EnrolmentView?
    let factor: FactorView?

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

    struct FormView: TemplateView {
        let email: String
        let problem: String?
        let currentPassword, code: InputView
    }

    struct EnrolmentView: TemplateView {
        let secret, address, sealed: String
        let qr: QRView?
        let form: FormView
    }

    struct QRView: TemplateView {
        let path: String
        let start, size: Int
    }

    struct FactorView: TemplateView {
        let since, left: String
        let codes, remove: FormView
    }
}

extension PageBuilder {
    package func secondFactor(
        _ state: SecondFactorView.State,
        isRequired: Bool,
        email: String,
        rejection: (form: SecondFactorView.Form, problem: ServiceError)? = nil
    ) -> SecondFactorView {
        func form(_ form: SecondFactorView.Form) -> SecondFactorView.FormView {
            let problem = rejection?.form == form ? rejection?.problem : nil
            let inputs = Inputs(problem: problem.map(localizer.problem), wrong: problem?.field)
            return SecondFactorView.FormView(
                email: email, problem: inputs.problem, currentPassword: inputs["current_password"],
                code: inputs["code"]
            )
        }
        var begin: SecondFactorView.FormView?
        var enrolment: SecondFactorView.EnrolmentView?
        var factor: SecondFactorView.FactorView?
        switch state {
        case .off: begin = form(.begin)
        case .enrolment(let secret, let address, let sealed):
            enrolment = .init(
                secret: Self.grouped(secret),
                address: address,
                sealed: sealed,
                // The address is shorter than the longest that a code can hold.
                qr: (try? QRCode(address)).map(Self.qr),
                form: form(.confirm)
            )
        case .on(let since, let left):
            factor = .init(
                since: localizer("factor.onSince", ["time": localizer.moment(since)]),
                left: localizer("factor.left", count: left),
                codes: form(.codes),
                remove: form(.remove)
            )
        }
        return SecondFactorView(isRequired: isRequired, begin: begin, enrolment: enrolment, factor: factor)
    }

    /// Four letters at a time, because people type them.
    private static func grouped(_ secret: String) -> String {
        let letters = Array(secret)
        return stride(from: 0, to: letters.count, by: 4)
            .map { String(letters[$0..<min($0 + 4, letters.count)]) }.joined(separator: " ")
    }

    private static func qr(_ code: QRCode) -> SecondFactorView.QRView {
        let margin = Int(QRCode.quietZone)
        return SecondFactorView.QRView(path: code.path, start: -margin, size: code.side + 2 * margin)
    }
}

/// Shows new recovery codes, once.
package struct RecoveryCodesView: PageView {
    package static let template = "recovery-codes"
    let codes: [String]
    let owner: String
}

/// The second step of a sign-in: asks for a code.
package struct SignInCodeView: PageView {
    package static let template = "sign-in-code"
    let ticket: String
    let next, problem: String?
    /// Whether the recovery code was rejected, and not that of the app.
    let isRecovery: Bool
}

extension PageBuilder {
    package func recoveryCodes(_ codes: [String], email: String, siteName: String) -> RecoveryCodesView {
        RecoveryCodesView(codes: codes, owner: localizer("factor.codesFor", ["email": email, "site": siteName]))
    }

    /// - Parameter isRecovery: whether the recovery code was rejected, and not that of the app.
    package func signInCode(
        ticket: String,
        next: String?,
        problem: ServiceError? = nil,
        isRecovery: Bool = false
    ) -> SignInCodeView {
        SignInCodeView(ticket: ticket, next: next, problem: problem.map(localizer.problem), isRecovery: isRecovery)
    }
}

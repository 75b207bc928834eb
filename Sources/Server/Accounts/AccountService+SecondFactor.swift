import Credentials
import Domain
import Foundation
import HTTP
import Storage

/// The second factor of accounts, and the second step of a sign-in.
extension AccountService {
    /// A secret that is not confirmed yet.
    struct Enrolment: Sendable {
        let totp: TOTP
        /// The address that authenticator apps read.
        let address: String
        /// The encrypted secret. Whoever sends it back has seen the secret.
        let sealed: Data
        let expiresAt: Timestamp
    }

    private static let expectedCode: ErrorMessage =
        "expected the 6 digits of the authenticator app, or a recovery code"

    /// Completes a sign-in whose password was right.
    func signIn(
        _ ticket: String,
        code: String,
        bringing guest: Caller?,
        from device: Device
    ) async throws -> (Account, Token) {
        let late = ServiceError.invalid("ticket", "is not valid any more: sign in again")
        guard let ticket = SignInTicket(ticket, secondFactorKey),
            let (account, hash) = try await find(try accounts.findAccount(key: ticket.accountKey)?.email),
            ticket.isValid(for: hash, now: now()), account.key == ticket.accountKey, !account.disabled
        else { throw late }
        try checkBan(account)
        guard !code.isEmpty else { throw ServiceError.missingCode }
        let name = account.id.lowercased
        let target = try await failures.attempt(signInTo: name, from: device.network)
        let proof = try await signInProof(code, of: account)
        try await failures.succeed(name, target, from: device.network)
        let token = Token()
        do {
            return (try await begin(token, account, hash, proof, bringing: guest, from: device), token)
        } catch let error as ServiceError where error.code == .unauthenticated && error.field == nil {
            // The password was changed meanwhile.
            throw late
        }
    }

    /// Returns nil if the account has no second factor. Throws `unauthenticated` if the code is wrong.
    func signInProof(_ code: String?, of account: Account) async throws -> SecondFactor.Proof? {
        guard account.hasSecondFactor else { return nil }
        guard let proof = try await proof(code ?? "", of: account) else {
            throw ServiceError(.unauthenticated, "code: is wrong or was used: \(Self.expectedCode)", field: "code")
        }
        return proof
    }

    /// Returns nil if the code is wrong, or was used before.
    private func proof(_ code: String, of account: Account) async throws -> SecondFactor.Proof? {
        if let digest = RecoveryCode.digest(typed: code) {
            return try await secondFactors.hasRecoveryCode(digest, of: account) ? .recoveryCode(digest) : nil
        }
        guard let factor = try await secondFactors.find(of: account) else { return nil }
        let totp = try totp(factor.sealedSecret, of: account)
        return totp.step(of: code.filter { !$0.isWhitespace }, at: now(), after: factor.lastStep)
            .map { .step($0, sealedSecret: factor.sealedSecret) }
    }

    private func totp(_ sealed: Data, of account: Account) throws -> TOTP {
        guard let secret = secondFactorKey.open(sealed, for: .secret(account.id)) else {
            throw ServiceError(
                .unavailable,
                "the file \(SecondFactorKey.fileName) is not the one that the codes need: use a recovery code"
            )
        }
        return TOTP(secret: secret)
    }

    /// Makes a new secret.
    func beginSecondFactor(of caller: Caller, _ password: JSONValue?) async throws -> Enrolment {
        let email = try email(of: caller)
        let proof = try await confirm(caller, email, password)
        let totp = TOTP()
        let sealed = try secondFactorKey.seal(totp.secret, for: .secret(caller.account.id))
        let now = now()
        try await secondFactors.begin(sealed, of: caller.account, proof: proof, now: now)
        return enrolment(totp, email, sealed, begunAt: now)
    }

    private func enrolment(_ totp: TOTP, _ email: String, _ sealed: Data, begunAt: Timestamp) -> Enrolment {
        Enrolment(
            totp: totp,
            address: totp.address(issuer: siteName, account: email),
            sealed: sealed,
            expiresAt: begunAt.adding(seconds: SecondFactor.maxEnrolmentSeconds)
        )
    }

    /// Returns the enrolment that the caller has begun, if the caller shows its encrypted secret.
    func enrolment(of caller: Caller, sealed: Data) async throws -> Enrolment? {
        guard let email = caller.account.email, let factor = try await pendingFactor(of: caller.account),
            factor.sealedSecret == sealed
        else { return nil }
        return enrolment(try totp(sealed, of: caller.account), email, sealed, begunAt: factor.createdAt)
    }

    private func pendingFactor(of account: Account) async throws -> SecondFactor? {
        guard let factor = try await secondFactors.find(of: account), factor.confirmedAt == nil,
            now() < factor.createdAt.adding(seconds: SecondFactor.maxEnrolmentSeconds)
        else { return nil }
        return factor
    }

    /// Confirms the secret by its first code, and returns the recovery codes.
    func confirmSecondFactor(of caller: Caller, code: String, _ language: Language) async throws -> [RecoveryCode] {
        let account = caller.account
        let email = try email(of: caller)
        guard let factor = try await pendingFactor(of: account) else {
            throw ServiceError(.conflict, "code: there is no secret to confirm: ask for a new one", field: "enrolment")
        }
        let target = LoginThrottle.Target.codes(session: caller.tokenHash)
        try await failures.attempt(target)
        let totp = try totp(factor.sealedSecret, of: account)
        guard let step = totp.step(of: code.filter { !$0.isWhitespace }, at: now(), after: nil) else {
            throw ServiceError(
                .forbidden,
                "code: is wrong: expected the 6 digits that the authenticator app shows now; are both clocks right?",
                field: "code"
            )
        }
        try await failures.forgive(target)
        let codes = Self.newRecoveryCodes()
        try await secondFactors.confirm(
            factor.sealedSecret,
            step: step,
            recoveryCodes: codes.map(\.digest),
            of: account,
            keeping: caller.tokenHash,
            now: now()
        )
        mail?.notifySecondFactor(isOn: true, of: account, email, account.language ?? language)
        return codes
    }

    private static func newRecoveryCodes() -> [RecoveryCode] {
        (0..<SecondFactor.recoveryCodeCount).map { _ in RecoveryCode() }
    }

    /// Replaces the recovery codes, and returns the new ones.
    func renewRecoveryCodes(of caller: Caller, _ fields: [String: JSONValue]) async throws -> [RecoveryCode] {
        let codes = Self.newRecoveryCodes()
        try await withBothFactors(of: caller, fields) { proof, code in
            try await secondFactors.replaceRecoveryCodes(
                codes.map(\.digest),
                of: caller.account,
                proof: proof,
                code: code,
                now: now()
            )
        }
        return codes
    }

    func removeSecondFactor(of caller: Caller, _ fields: [String: JSONValue], _ language: Language) async throws {
        try await withBothFactors(of: caller, fields) { proof, code in
            try await secondFactors.remove(of: caller.account, proof: proof, code: code, now: now())
        }
        let account = caller.account
        mail?.notifySecondFactor(isOn: false, of: account, try email(of: caller), account.language ?? language)
    }

    /// Runs `body` with the proofs of the current password and of a code.
    private func withBothFactors(
        of caller: Caller,
        _ fields: [String: JSONValue],
        _ body: (AccountStore.Proof, SecondFactor.Proof) async throws -> Void
    ) async throws {
        let email = try email(of: caller)
        guard caller.account.hasSecondFactor else {
            throw ServiceError(.conflict, "the account has no second factor")
        }
        guard let code = try fields.code(), !code.isEmpty else {
            throw ServiceError.invalid("code", Self.expectedCode)
        }
        let password = try await confirm(caller, email, fields["current_password"])
        let target = LoginThrottle.Target.codes(session: caller.tokenHash)
        try await failures.attempt(target)
        let wrong = ServiceError(.forbidden, "code: is wrong or was used: \(Self.expectedCode)", field: "code")
        guard let code = try await proof(code, of: caller.account) else { throw wrong }
        try await failures.forgive(target)
        do {
            try await body(password, code)
        } catch let error as ServiceError where error.code == .unauthenticated && error.field == "code" {
            // 401 would say that the session has ended.
            throw wrong
        }
    }

    private func email(of caller: Caller) throws(ServiceError) -> String {
        guard let email = caller.account.email else {
            throw ServiceError(.conflict, "a guest has no password, and so no second factor: register first")
        }
        return email
    }
}

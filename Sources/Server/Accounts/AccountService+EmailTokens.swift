import Credentials
import Domain
import HTTP
import Storage

/// The actions that need a token from a mail.
extension AccountService {
    private func requireMailer() throws(ServiceError) -> AccountMailer {
        guard let mail else {
            throw ServiceError(.notFound, "this service sends no mails: whoever runs it can set a new password")
        }
        return mail
    }

    /// Returns the purpose of a token from a mail, or nil if the token is not valid.
    func purpose(of token: String) async throws -> VerificationStore.Purpose? {
        guard let mail else { return nil }
        return try await mail.verifications.findPurpose(tokenHash: Token(token).digest, now: now())
    }

    /// Completes a registration or opens a private link, and returns the account with a session token; or completes a change
    /// of address, and returns nil.
    ///
    /// - Parameter password: the password given at registration, if the caller checks it; nil skips the check. Anybody
    ///   can register somebody else's address with a password of their own.
    func verify(_ token: String, password: String?, from device: Device) async throws -> (Account, Token)? {
        let verifications = try requireMailer().verifications
        let digest = Token(token).digest
        let purpose = try await purpose(of: token)
        let session = Token()
        if case .link? = purpose {
            let guest = try await verifications.openLink(
                tokenHash: digest,
                session: session.digest,
                client: device.client,
                now: now()
            )
            return (guest, session)
        }
        guard case .registration(let hash)? = purpose else {
            let before = try await verifications.change(tokenHash: digest, now: now())
            if let before, let old = before.email {
                mail?.notifyAddressChanged(of: before, old, before.language ?? device.language)
            }
            return nil
        }
        if let password, try await !compare(password, hash, .session(digest)) {
            throw ServiceError(.forbidden, "password: is not the one that was chosen for this account", field: "chosen")
        }
        let account = try await verifications.register(
            tokenHash: digest,
            session: session.digest,
            client: device.client,
            now: now()
        )
        return (account, session)
    }

    /// Sends a guest a private link. Throws `conflict` if the account is not a guest's: a registered one has a password.
    func sendLink(of guest: Caller, to email: String, _ language: Language) throws {
        let mailer = try requireMailer()
        guard guest.account.role == .guest else {
            throw ServiceError(.conflict, "email: a registered account needs no private link", field: "email")
        }
        try mailer.sendLink(of: guest.account, to: email, keeping: guest.tokenHash, language)
    }

    /// Does nothing for a registered account, which has no private link.
    func endLink(of caller: Caller) async throws {
        let verifications = try requireMailer().verifications
        guard caller.account.role == .guest else { return }
        try await verifications.endLink(of: caller.account, keeping: caller.tokenHash)
    }

    /// Sends a mail if an account has this address. The result does not depend on whether one does.
    func requestPasswordReset(_ email: String, _ language: Language) throws {
        try requireMailer().reset(email, language)
    }

    /// Sets the password, ends all sessions, and forgets the failed sign-ins.
    func reset(_ token: String, _ password: Field, _ language: Language) async throws {
        let verifications = try requireMailer().verifications
        let digest = Token(token).digest
        let account = try await verifications.findReset(tokenHash: digest, now: now())
        let hash = try await passwords.hash(new: try password.password(for: account.email))
        let changed = try await verifications.reset(tokenHash: digest, passwordHash: hash, now: now())
        guard let email = changed.email else { return }
        // The failures may be those of codes, which the reset does not show to be known.
        if !changed.hasSecondFactor { try await failures.forgive(.name(changed.id.lowercased)) }
        mail?.notifyPasswordChanged(of: changed, email, changed.language ?? language)
    }
}

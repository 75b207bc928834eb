import Credentials
import Domain
import Storage

/// What somebody does with the token of a mail.
extension AccountService {
    private func needMail() throws(ServiceError) -> AccountMailer {
        guard let mail else {
            throw ServiceError(.notFound, "this service sends no mails: whoever runs it can set a new password")
        }
        return mail
    }

    /// Whether the token of a mail can be used; nil where it cannot.
    func purpose(of token: String) async throws -> VerificationStore.Purpose? {
        guard let mail else { return nil }
        return try await mail.verifications.findPurpose(tokenHash: Token(token).digest, now: now())
    }

    /// Makes the account that was asked for, or gives it its new address: then nil.
    ///
    /// - Parameter password: the one that was chosen, where the caller wants to be sure that it was theirs: anybody can ask for an account
    ///   with somebody's address and a password of their own.
    func verify(_ token: String, password: String?, from device: Device) async throws -> (Account, Token)? {
        let verifications = try needMail().verifications
        let digest = Token(token).digest
        guard case .registration(let hash)? = try await purpose(of: token) else {
            let before = try await verifications.change(tokenHash: digest, now: now())
            if let old = before.email { mail?.tellAddressChanged(old, before.language ?? device.language) }
            return nil
        }
        if let password, try await !compare(password, hash, .session(digest)) {
            throw ServiceError(.forbidden, "password: is not the one that was chosen for this account", field: "chosen")
        }
        let session = Token()
        let account = try await verifications.register(
            tokenHash: digest,
            session: session.digest,
            client: device.client,
            now: now()
        )
        return (account, session)
    }

    /// Sends a mail to who has an account with the address, and answers the same whoever has.
    func askForReset(_ email: String, _ language: Language) throws {
        try needMail().reset(email, language)
    }

    /// Sets the password, ends all sessions and the delay after failures.
    func reset(_ token: String, _ password: Field, _ language: Language) async throws {
        let verifications = try needMail().verifications
        let digest = Token(token).digest
        let account = try await verifications.findReset(tokenHash: digest, now: now())
        let hash = try await passwords.hash(try password.password(for: account.email))
        let changed = try await verifications.reset(tokenHash: digest, passwordHash: hash, now: now())
        guard let email = changed.email else { return }
        failures.forgive(.address(email.lowercased()))
        mail?.tellPasswordChanged(email, changed.language ?? language)
    }
}

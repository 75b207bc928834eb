import Concurrency
import Credentials
import Domain
import Foundation
import Mail
import Storage

/// Sends the mails about accounts. Everything that depends on whether an address is known happens in a draft, after the
/// request, so that neither the response nor its time reveals it. Only then is the mail stored.
struct AccountMailer: Sendable {
    let mailer: Mailer
    let verifications: VerificationStore
    let words: MailTexts
    let now: @Sendable () -> Timestamp
    /// The limit on mails to one address for one purpose, whoever requests them.
    private let limit: MailLimit

    /// The purposes of mails. Each has a quota of its own, so that nobody can block another user's password reset by
    /// requesting other mails.
    private enum Purpose: String {
        case registration
        case reset
        case change
        case link
        case invitation
    }

    init(
        mailer: Mailer,
        verifications: VerificationStore,
        words: MailTexts,
        counters: any LimitCounters,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.mailer = mailer
        self.verifications = verifications
        self.words = words
        limit = MailLimit("mail", quota: 5, counters)
        self.now = now
    }

    /// Sends a mail that asks to confirm the address. If there is already an account with it, the mail says that
    /// instead.
    func verify(_ registration: AccountStore.Registration, guest: Account?, _ language: Language) throws {
        try post(.registration, to: registration.email) {
            let token = Token()
            let end = now().adding(seconds: VerificationStore.registrationTime)
            let isKept = try await verifications.keep(
                registration,
                guest: guest,
                tokenHash: token.digest,
                until: end
            )
            let message =
                isKept
                ? words.message("verify", to: registration.email, language, "/account/verify?token=\(token.text)")
                : words.message("taken", to: registration.email, language, "/account")
            return message?.belonging(to: nil, until: end)
        }
    }

    /// Sends the private link of a guest.
    ///
    /// - Parameter session: the digest of the token of the session that asks for it.
    func sendLink(of guest: Account, to email: String, keeping session: Data, _ language: Language) throws {
        let language = guest.language ?? language
        try post(.link, to: email) {
            let token = Token()
            let end = now().adding(seconds: VerificationStore.unopenedLinkTime)
            let isKept = try await verifications.keepLink(
                of: guest,
                to: email,
                tokenHash: token.digest,
                keeping: session,
                language,
                until: end
            )
            guard isKept else { return nil }
            return words.message("link", to: email, language, "/account/verify?token=\(token.text)")?
                .belonging(to: guest.id, until: end)
        }
    }

    /// Sends a mail to set a new password if there is an account with this address.
    func reset(_ email: String, _ language: Language) throws {
        try post(.reset, to: email) {
            let token = Token()
            let end = now().adding(seconds: VerificationStore.resetTime)
            let account = try await verifications.keepReset(of: email, tokenHash: token.digest, until: end)
            guard let account, let email = account.email else { return nil }
            let path = "/account/new-password?token=\(token.text)"
            return words.message("reset", to: email, account.language ?? language, path)?
                .belonging(to: account.id, until: end)
        }
    }

    func verifyChange(
        of account: Account,
        to email: String,
        proof: AccountStore.Proof,
        _ language: Language
    ) throws {
        let language = account.language ?? language
        try post(.change, to: email) {
            let token = Token()
            let end = now().adding(seconds: VerificationStore.changeTime)
            let answer = try await verifications.keepChange(
                of: account,
                to: email,
                proof: proof,
                tokenHash: token.digest,
                until: end
            )
            guard let isKept = answer else { return nil }
            let message =
                isKept
                ? words.message("change", to: email, language, "/account/verify?token=\(token.text)")
                : words.message("changeTaken", to: email, language, "/account")
            return message?.belonging(to: account.id, until: end)
        }
    }

    /// Tells the owner of an address of an invitation. Only organisations that an admin has verified can have mails sent to anybody.
    /// If too many mails wait, none is sent: the invitation is on the page of the account.
    func tell(of invitation: Organisation.Invitation, _ language: Language) {
        guard invitation.organisation.isVerified else { return }
        try? post(.invitation, to: invitation.email) {
            words.message(
                "invited", to: invitation.email, language, "/account/organisations",
                [("organisation", invitation.organisation.name)]
            )?.belonging(to: nil, until: invitation.expiresAt)
        }
    }

    /// Notifies the previous address that the address of the account has changed.
    func notifyAddressChanged(of account: Account, _ old: String, _ language: Language) {
        mailer.post { words.message("changed", to: old, language, "/account")?.belonging(to: account.id) }
    }

    func notifyPasswordChanged(of account: Account, _ email: String, _ language: Language) {
        mailer.post {
            words.message("passwordChanged", to: email, language, "/account/reset")?.belonging(to: account.id)
        }
    }

    func notifySecondFactor(isOn: Bool, of account: Account, _ email: String, _ language: Language) {
        mailer.post {
            // Somebody else's factor locks the owner out of the account; the page about the site tells whom to write
            // to.
            let (key, path) = isOn ? ("secondFactorOn", "/about") : ("secondFactorOff", "/account")
            return words.message(key, to: email, language, path)?.belonging(to: account.id)
        }
    }

    /// Queues a mail. If the address has received too many mails, the mail is dropped silently; the last one sent stays
    /// valid.
    private func post(_ purpose: Purpose, to email: String, _ draft: @escaping Mailer.Draft) throws {
        guard mailer.post(limit.apply(to: "\(purpose.rawValue) \(email.lowercased())", draft)) else {
            throw OutgoingMailStore.full
        }
    }
}

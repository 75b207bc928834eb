import Credentials
import Domain
import Hummingbird
import Storage

/// Registers people, signs them in and changes what they sign in with, whichever way they come.
struct AccountDesk: Sendable {
    let accounts: AccountStore
    let sessions: SessionStore
    let moderation: ModerationStore
    let passwords: PasswordHasher
    let failures: FailedSignIns
    let proxies: TrustedProxies
    /// Nil where the service sends no mails: then nobody shows that an address is theirs.
    let mail: AccountMail?
    let now: @Sendable () -> Timestamp

    /// Longer ones are no passwords of anybody.
    private static let longestPassword = Field.passwordLengths.upperBound

    /// What somebody asks with.
    struct Device: Sendable {
        /// As people call it.
        let client: String?
        let network: NetworkAddress?
        let language: Language
    }

    func device(_ request: Request, _ context: ServiceContext, _ language: Language? = nil) -> Device {
        Device(
            client: request.clientName,
            network: context.peer.flatMap { proxies.client(peer: $0, request.headers) },
            language: language ?? request.preferredLanguage
        )
    }

    /// - Parameter token: what the guest will be known by.
    func makeGuest(_ token: Token, client: String?) async throws -> Account {
        try await accounts.createGuest(tokenHash: token.digest, client: client, now: now())
    }

    /// Nil for a token that is not valid.
    func find(_ token: Token) async throws -> Account? {
        try await accounts.findAccount(tokenHash: token.digest, now: now())
    }

    /// Nil where a mail says how it goes on, whether or not the address is taken.
    ///
    /// - Parameter guest: who registers stays the same account where it was a guest's.
    func register(
        _ email: String,
        _ password: String,
        _ profile: Profile,
        bringing guest: Caller?,
        from device: Device
    ) async throws -> (Account, Token)? {
        // Hashed before the address is looked up: a taken one answers no faster.
        let registration = AccountStore.Registration(
            email: email,
            passwordHash: try await passwords.hash(password),
            profile: profile,
            language: device.language
        )
        if let mail {
            try mail.verify(registration, guest: guest?.account, device.language)
            return nil
        }
        let token = Token()
        let account = try await accounts.register(
            registration,
            upgrading: guest?.account,
            tokenHash: token.digest,
            client: device.client,
            now: now()
        )
        return (account, token)
    }

    /// - Parameter guest: whose listings come along.
    func signIn(
        _ email: String,
        _ password: String,
        bringing guest: Caller?,
        from device: Device
    ) async throws -> (Account, Token) {
        let email = String(email.trimmed)
        let target = failures.target(email, from: device.network)
        let known = try await accounts.findCredentials(email: email)
        let matches = try await compare(password, known?.passwordHash, target)
        // Only who knows the password is told of a ban.
        if matches, let account = known?.0, let ban = try moderation.findBan(account: account.key) {
            throw BanRefusal(ban: ban)
        }
        guard matches, let account = known?.0, !account.disabled else {
            throw ServiceError(.unauthenticated, "email or password is wrong")
        }
        failures.succeed(email, target, from: device.network)
        await renewHash(of: account, password, known?.passwordHash)
        let token = Token()
        let signedIn = try await accounts.signIn(
            account,
            tokenHash: token.digest,
            bringing: guest?.account,
            client: device.client,
            language: device.language,
            now: now()
        )
        return (signedIn, token)
    }

    /// Compared even where there is no account, with a password cut to what one can be. Counts as a failure from the beginning, so that
    /// a thousand at once are not one.
    func compare(_ password: String, _ hash: String?, _ target: FailedSignIns.Target) async throws -> Bool {
        try failures.attempt(target)
        do {
            return try await passwords.verify(String(password.prefix(Self.longestPassword)), hash: hash)
        } catch {
            failures.takeBack(target)
            throw error
        }
    }

    /// Makes it with today's parameters: only now is the password known. Where that fails, there is a next time.
    private func renewHash(of account: Account, _ password: String, _ old: String?) async {
        guard let old, passwords.isOutdated(old), let new = try? await passwords.hash(password) else { return }
        try? await accounts.replaceHash(of: account, old, with: new)
    }

    /// - Parameter fields: `current_password`, and of `email` and `password` what is to be another.
    func changeCredentials(
        of caller: Caller,
        _ fields: [String: JSONValue],
        from device: Device
    ) async throws {
        let field = fields["password"] == nil ? "email" : "password"
        guard let current = caller.account.email else {
            throw ServiceError(.conflict, "\(field): a guest has none: register first", field: field)
        }
        let email = try fields["email"].map { try Field("email", $0).requiredEmail() }
        let password = try fields["password"].map { try Field("password", $0).password(for: email ?? current) }
        let isMoving = email.map { $0.lowercased() != current.lowercased() } ?? false
        guard isMoving || password != nil || fields["current_password"] != nil else { return }
        try await confirm(caller, current, fields["current_password"])
        if let email, isMoving { try await move(caller.account, to: email, device.language) }
        guard let password else { return }
        try await accounts.setPassword(
            caller.account,
            hash: try await passwords.hash(password),
            keeping: caller.tokenHash
        )
        mail?.tellPasswordChanged(current, caller.account.language ?? device.language)
    }

    /// Failures of strangers do not count here: who is signed in has shown who they are.
    private func confirm(_ caller: Caller, _ email: String, _ password: JSONValue?) async throws {
        guard case .string(let password)? = password else {
            throw ServiceError.invalid("current_password", "expected the password you have now")
        }
        let target = FailedSignIns.Target.session(caller.tokenHash)
        let hash = try await accounts.findCredentials(email: email)?.passwordHash
        guard try await compare(password, hash, target) else {
            throw ServiceError(.forbidden, "current_password: is wrong", field: "current_password")
        }
        failures.forgive(target)
    }

    private func move(_ account: Account, to email: String, _ language: Language) async throws {
        guard let mail else { return try await accounts.setEmail(account, email) }
        try mail.verifyChange(of: account, to: email, language)
    }
}

extension Field {
    func requiredEmail() throws(ServiceError) -> String {
        guard let email = try email() else { throw invalid("expected an address like anna@example.org") }
        return email
    }
}

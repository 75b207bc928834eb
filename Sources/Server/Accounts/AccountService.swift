import Credentials
import Domain
import HTTP
import Hummingbird
import Storage

/// Registration, sign-in and changes of credentials, for the API and the web pages alike.
struct AccountService: Sendable {
    let accounts: AccountStore
    let sessions: SessionStore
    let moderation: ModerationStore
    let passwords: PasswordHasher
    let failures: LoginThrottle
    let secondFactors: SecondFactorStore
    let secondFactorKey: SecondFactorKey
    /// The name of the service in authenticator apps.
    let siteName: String
    /// The country of telephone numbers without a country code.
    let country: String?
    /// Nil if the service sends no mail. Addresses are not verified then.
    let mail: AccountMailer?
    let now: @Sendable () -> Timestamp

    /// The client that a request comes from.
    struct Device: Sendable {
        /// The readable name of the client program.
        let client: String?
        let network: NetworkAddress?
        let language: Language
    }

    func device(_ request: Request, _ context: ServiceContext, _ language: Language? = nil) -> Device {
        Device(
            client: request.clientName,
            network: context.client,
            language: language ?? request.preferredLanguage
        )
    }

    /// - Parameter token: the session token of the new guest account.
    func makeGuest(_ token: Token, client: String?) async throws -> Account {
        try await accounts.createGuest(tokenHash: token.digest, client: client, now: now())
    }

    /// Returns the account of a session token, or nil if the token is not valid.
    func find(_ token: Token) async throws -> Account? {
        try await accounts.findAccount(tokenHash: token.digest, now: now())
    }

    /// Registers an account, and returns it with a session token. If the service sends mail, returns nil instead,
    /// whether or not the address is taken: the mail explains the next step.
    ///
    /// - Parameter guest: the guest account that becomes the registered account, if there is one.
    func register(
        _ email: String,
        _ password: String,
        _ profile: Profile,
        bringing guest: Caller?,
        from device: Device
    ) async throws -> (Account, Token)? {
        // The password is hashed before the address is looked up, so that the response time does not show whether the
        // address is taken.
        let registration = AccountStore.Registration(
            email: email,
            passwordHash: try await passwords.hash(new: password),
            profile: profile,
            language: device.language,
            isEmailConfirmed: mail != nil
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

    /// The outcome of a sign-in with the right password.
    enum SignIn: Sendable {
        case done(Account, Token)
        /// The account has a second factor, and the request has no code. The ticket shows that the password was right.
        case needsCode(SignInTicket)
    }

    /// - Parameters:
    ///   - code: a code of the second factor; nil if the client sent none.
    ///   - guest: the guest account whose listings move to the signed-in account.
    func signIn(
        _ email: String,
        _ password: String,
        code: String? = nil,
        bringing guest: Caller?,
        from device: Device
    ) async throws -> SignIn {
        // An invalid address takes as long as an unknown one. The store may find an account by a shortened form of the
        // address, and the address can change, so failures are counted by the id of the account.
        let address = try? Field("email", .string(email)).requiredEmail()
        let known = try await find(address)
        let name = known?.account.id.lowercased ?? address ?? email
        let target = try await failures.attempt(signInTo: name, from: device.network)
        let match = try await match(password, known?.passwordHash, target)
        // A client that does not know the password must not learn about the ban.
        if match != .none, let account = known?.account { try checkBan(account) }
        guard match != .none, let (account, hash) = known, !account.disabled else { throw Self.wrong }
        if account.hasSecondFactor, code?.isEmpty ?? true {
            // Neither a failure nor a success.
            try await failures.cancelAttempt(target)
            let current = await renewHash(of: account, password, hash, match)
            return .needsCode(SignInTicket(account, passwordHash: current, now: now()))
        }
        let proof = try await signInProof(code, of: account)
        try await failures.succeed(name, target, from: device.network)
        let token = Token()
        let signedIn = try await enter(account, password, hash) { shown in
            try await begin(token, account, shown, proof, bringing: guest, from: device)
        }
        _ = await renewHash(of: account, password, hash, match)
        return .done(signedIn, token)
    }

    func checkBan(_ account: Account) throws {
        if let ban = try moderation.findBan(account: account.key) { throw BannedError(ban: ban) }
    }

    /// - Parameter shown: the hash of the password that the client has shown.
    func begin(
        _ token: Token,
        _ account: Account,
        _ shown: String,
        _ code: SecondFactor.Proof?,
        bringing guest: Caller?,
        from device: Device
    ) async throws -> Account {
        try await accounts.signIn(
            account,
            showing: shown,
            code: code,
            tokenHash: token.digest,
            bringing: guest?.account,
            client: device.client,
            language: device.language,
            now: now()
        )
    }

    static let wrong = ServiceError(.unauthenticated, "email or password is wrong")

    func find(_ email: String?) async throws -> (account: Account, passwordHash: String)? {
        guard let email, let (account, hash) = try await accounts.findCredentials(email: email) else { return nil }
        return (account, hash)
    }

    /// Tries a second time if the stored hash has changed meanwhile: another sign-in may have rehashed the same
    /// password at the same time.
    private func enter(
        _ account: Account,
        _ password: String,
        _ hash: String,
        _ signIn: (String) async throws -> Account
    ) async throws -> Account {
        do {
            return try await signIn(hash)
        } catch let error as ServiceError where error.code == .unauthenticated && error.field == nil {
            guard let (current, renewed) = try await find(account.email), current.key == account.key,
                try await passwords.verify(password, hash: renewed)
            else { throw Self.wrong }
            return try await signIn(renewed)
        }
    }

    func compare(_ password: String, _ hash: String?, _ target: LoginThrottle.Target) async throws -> Bool {
        try await failures.attempt(target)
        return try await match(password, hash, target) != .none
    }

    /// Compares the password with the hash, and takes as long if there is no hash. The attempt was counted as a failure
    /// before, so that a thousand simultaneous attempts do not count as one.
    private func match(
        _ password: String,
        _ hash: String?,
        _ target: LoginThrottle.Target
    ) async throws -> PasswordHasher.Match {
        do {
            return try await passwords.match(password, hash: hash)
        } catch {
            // If this fails too, the attempt stays counted.
            try? await failures.cancelAttempt(target)
            throw error
        }
    }

    /// Rehashes the password with the current parameters and in composed Unicode form, because the password is only
    /// known during a sign-in. An error is ignored: the next sign-in tries again.
    ///
    /// - Returns: the hash that the account has now.
    private func renewHash(
        of account: Account,
        _ password: String,
        _ old: String,
        _ match: PasswordHasher.Match
    ) async -> String {
        guard match == .typed || passwords.isOutdated(old), let new = try? await passwords.hash(password) else {
            return old
        }
        return (try? await accounts.replaceHash(of: account, old, with: new)) == nil ? old : new
    }

    /// - Parameter fields: `current_password`, and the new values of `email` and `password`, if they are to change.
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
        // Programs that send the whole account back have no password, and do not ask for a mail.
        let isConfirming = mail != nil && !caller.account.isEmailConfirmed && fields["current_password"] != nil
        let isMoving = email.map { isConfirming || $0.lowercased() != current.lowercased() } ?? false
        guard isMoving || password != nil || fields["current_password"] != nil else { return }
        let proof = try await confirm(caller, current, fields["current_password"])
        if let email, isMoving { try await move(caller.account, to: email, proof, device.language) }
        guard let password else { return }
        try await accounts.setPassword(
            caller.account,
            hash: try await passwords.hash(new: password),
            keeping: caller.tokenHash,
            proof: proof
        )
        mail?.notifyPasswordChanged(of: caller.account, current, caller.account.language ?? device.language)
    }

    /// Confirms the current password of a signed-in account. Failed attempts of other clients do not count here.
    func confirm(
        _ caller: Caller,
        _ email: String,
        _ password: JSONValue?
    ) async throws -> AccountStore.Proof {
        guard case .string(let password)? = password else {
            throw ServiceError.invalid("current_password", "expected the password you have now")
        }
        let target = LoginThrottle.Target.session(caller.tokenHash)
        let known = try await accounts.findCredentials(email: email)?.passwordHash
        guard try await compare(password, known, target), let hash = known else {
            throw ServiceError(.forbidden, "current_password: is wrong", field: "current_password")
        }
        try await failures.forgive(target)
        return AccountStore.Proof(passwordHash: hash, session: caller.tokenHash)
    }

    private func move(
        _ account: Account,
        to email: String,
        _ proof: AccountStore.Proof,
        _ language: Language
    ) async throws {
        guard let mail else { return try await accounts.setEmail(account, email, proof: proof) }
        try mail.verifyChange(of: account, to: email, proof: proof, language)
    }
}

extension Field {
    func requiredEmail() throws(ServiceError) -> String {
        guard let email = try email() else { throw invalid("expected an address like anna@example.org") }
        return email
    }
}

extension AccountService {
    /// Returns the caller's account, or the guest account of the token, which is created if it does not exist.
    func account(_ request: Request, _ context: ServiceContext, _ token: Token) async throws -> Account {
        if let caller = context.caller { return caller.account }
        if let ban = context.ban { throw BannedError(ban: ban) }
        do {
            return try await makeGuest(token, client: request.clientName)
        } catch {
            // Another request with the same token may have created the account at the same time.
            guard let account = try await find(token) else { throw error }
            return account
        }
    }
}

extension PageRenderer {
    /// Sets the session cookie of a guest again, so that its lifetime of one year begins anew with each use.
    func keep(_ token: Token, of account: Account, _ context: ServiceContext, in response: inout Response) {
        let isByCookie = context.caller == nil || context.cookie != nil
        if isByCookie, account.role == .guest { cookie.set(token, in: &response) }
    }
}

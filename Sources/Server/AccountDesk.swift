import Credentials
import Domain
import Storage

/// Registers people, signs them in and changes their passwords, whichever way they come.
struct AccountDesk {
    let accounts: AccountStore
    let passwords: PasswordHasher

    /// Longer ones are no passwords of anybody.
    private static let longestPassword = Field.passwordLengths.upperBound

    /// - Parameter guest: who registers stays the same account where it was a guest's.
    func register(
        _ email: String,
        _ password: String,
        _ profile: Profile,
        bringing guest: Caller?
    ) async throws -> (Account, Token) {
        let token = Token()
        // Hashed before the address is looked up: a taken one answers no faster.
        let registration = AccountStore.Registration(
            email: email,
            passwordHash: try await passwords.hash(password),
            profile: profile
        )
        let account = try await accounts.register(registration, upgrading: guest?.account, tokenHash: token.digest)
        return (account, token)
    }

    /// - Parameter guest: whose listings come along.
    func signIn(_ email: String, _ password: String, bringing guest: Caller?) async throws -> (Account, Token) {
        let known = try await accounts.findCredentials(email: String(email.trimmed))
        // Compared even where there is no account, with a password cut to what one can be.
        let matches = try await passwords.verify(
            String(password.prefix(Self.longestPassword)),
            hash: known?.passwordHash
        )
        guard matches, let account = known?.0, !account.disabled else {
            throw ServiceError(.unauthenticated, "email or password is wrong")
        }
        let token = Token()
        return (try await accounts.signIn(account, tokenHash: token.digest, bringing: guest?.account), token)
    }

    /// - Parameter fields: `current_password` and `password`.
    func changePassword(of caller: Caller, _ fields: [String: JSONValue]) async throws {
        guard let email = caller.account.email else {
            throw ServiceError(.conflict, "password: a guest has none: register first", field: "password")
        }
        let password = try Field("password", fields["password"] ?? .null).password()
        guard case .string(let current)? = fields["current_password"] else {
            throw ServiceError.invalid("current_password", "expected the password you have now")
        }
        let hash = try await accounts.findCredentials(email: email)?.passwordHash
        guard try await passwords.verify(String(current.prefix(Self.longestPassword)), hash: hash) else {
            throw ServiceError(.forbidden, "current_password: is wrong", field: "current_password")
        }
        try await accounts.setPassword(
            caller.account,
            hash: try await passwords.hash(password),
            keeping: caller.tokenHash
        )
    }
}

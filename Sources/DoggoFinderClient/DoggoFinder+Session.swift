public import Foundation

extension DoggoFinder {
    /// Creates a guest, who needs no password. A guest who registers or signs in later keeps what they posted.
    public func becomeGuest() async throws -> Session {
        try await send(Call("POST", "/v1/guests"))
    }

    /// Registers an account.
    ///
    /// - Returns: The session; nil where the service sends a mail that tells how it goes on.
    public func register(_ registration: Registration) async throws -> Session? {
        let answer = try await data(Call("POST", "/v1/accounts", json: registration))
        return answer.status == 202 ? nil : try JSONDecoder.wire.decode(Session.self, from: answer.body)
    }

    /// - Parameters:
    ///   - email: The address of the account.
    ///   - password: Its password.
    ///   - code: The code of the second factor, if the account has one.
    public func signIn(email: String, password: String, code: String? = nil) async throws -> Session {
        try await send(Call("POST", "/v1/sessions", json: Credentials(email: email, password: password, code: code)))
    }

    /// Ends the session of the token.
    public func signOut() async throws {
        try await send(Call("DELETE", "/v1/sessions"))
    }

    /// The account of the token.
    public func account() async throws -> Account {
        try await send(Call("GET", "/v1/me"))
    }

    /// Deletes the account with everything that it owns.
    public func deleteAccount() async throws {
        try await send(Call("DELETE", "/v1/me"))
    }
}

public struct Session: Codable, Sendable {
    public let token: String
    public let account: Account
}

public struct Account: Codable, Identifiable, Sendable {
    public let id: UUID
    public let role: Role
    public let email: String?
    public let emailConfirmed: Bool
    public let firstName: String?
    public let lastName: String?
    public let phone: String?
    public let phoneE164: String?
    public let picture: String?
    public let secondFactor: Bool
    public let disabled: Bool
    public let createdAt: Date
}

public struct Registration: Encodable, Sendable {
    public var email: String
    /// At least eight characters.
    public var password: String
    public var firstName: String?
    public var lastName: String?
    public var phone: String?
    /// The address of a picture elsewhere.
    public var picture: String?

    public init(email: String, password: String) {
        self.email = email
        self.password = password
    }
}

struct Credentials: Encodable {
    let email: String
    let password: String
    let code: String?
}

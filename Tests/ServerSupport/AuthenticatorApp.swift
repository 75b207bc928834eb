import Credentials
package import Domain
import Foundation
import TestSupport

/// An app that has read the secret of a second factor.
package struct AuthenticatorApp: Sendable {
    private let totp: TOTP

    /// - Parameter secret: in Base32, with or without spaces.
    package init(secret: String) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var bytes: [UInt8] = []
        var (bits, width) = (0, 0)
        for letter in secret {
            guard let number = alphabet.firstIndex(of: letter) else { continue }
            bits = (bits << 5 | number) & 0xFFFF
            width += 5
            guard width >= 8 else { continue }
            width -= 8
            bytes.append(UInt8(bits >> width & 0xFF))
        }
        totp = TOTP(secret: Data(bytes))
    }

    /// - Parameter offset: the number of time steps that the app's clock is ahead.
    package func code(at time: Timestamp = .now, ahead offset: Int64 = 0) -> String {
        totp.code(atStep: TOTP.step(at: time) + offset)
    }

    /// A code that is wrong for several minutes around the time.
    package func wrongCode(at time: Timestamp = .now) -> String {
        var right: Set<String> = []
        for offset in Int64(-10)...10 { right.insert(code(at: time, ahead: offset)) }
        var number = 100_000
        while right.contains(String(number)) { number += 1 }
        return String(number)
    }
}

extension RunningService {
    /// Sets up the second factor of an account with the password `correct horse`.
    package func addSecondFactor(
        _ token: String,
        at time: Timestamp = .now
    ) async throws -> (app: AuthenticatorApp, recoveryCodes: [String]) {
        let password = #"{"current_password": "correct horse"}"#
        let secret = try await send("POST", "/v1/me/second-factor", password, token: token).created("secret")
        let app = AuthenticatorApp(secret: secret)
        let answer = try await send("PUT", "/v1/me/second-factor", #"{"code": "\#(app.code(at: time))"}"#, token: token)
        guard case .array(let codes)? = answer["recovery_codes"] else { throw TestFailure("\(answer.status)") }
        return (app, codes.compactMap { if case .string(let code) = $0 { code } else { nil } })
    }
}

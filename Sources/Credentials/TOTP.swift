import Cryptography
package import Domain
package import Foundation

/// Time-based one-time passwords (RFC 6238) with HMAC-SHA-1, 6 digits and 30 seconds, which all authenticator apps
/// support. Several apps ignore other parameters.
package struct TOTP: Sendable {
    package static let digits = 6
    /// The length of a time step in seconds.
    package static let period = 30
    /// The number of time steps before and after the present one whose codes are accepted, for clocks that differ.
    static let window: Int64 = 1
    /// 160 bits, the length that RFC 4226, section 4, recommends.
    package static let secretLength = 20

    package let secret: Data

    package init(secret: Data) {
        self.secret = secret
    }

    /// A new random secret.
    package init() {
        self.init(secret: .random(count: Self.secretLength))
    }

    /// The secret as people type it.
    package var secretText: String { Base32.text(secret) }

    /// The address that authenticator apps read from a QR code (Google Authenticator's Key URI format).
    package func address(issuer: String, account: String) -> String {
        let (issuer, account) = (Self.encoded(issuer), Self.encoded(account))
        return "otpauth://totp/\(issuer):\(account)?secret=\(secretText)&issuer=\(issuer)&algorithm=SHA1"
            + "&digits=\(Self.digits)&period=\(Self.period)"
    }

    /// Colons divide the issuer from the account, so they are encoded too.
    private static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~@"
        )
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    package static func step(at time: Timestamp) -> Int64 { time.milliseconds / 1000 / Int64(period) }

    /// Returns the code of a time step.
    package func code(atStep step: Int64, digits: Int = TOTP.digits) -> String {
        let counter = withUnsafeBytes(of: step.bigEndian) { Data($0) }
        let mac = Array(HashFunction.sha1.authenticationCode(of: counter, key: secret))
        // Dynamic truncation (RFC 4226, section 5.3).
        let start = Int(mac[mac.count - 1] & 0x0F)
        let number = mac[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number)
        return String((String(repeating: "0", count: digits) + text).suffix(digits))
    }

    /// Returns the time step whose code this is, or nil if it is none of the accepted ones. The time that the
    /// comparison takes does not depend on the code.
    ///
    /// - Parameter last: the time step of the last accepted code. Its code and those before it are refused, so that a
    ///   code works once (RFC 6238, section 5.2).
    package func step(of code: String, at time: Timestamp, after last: Int64?) -> Int64? {
        let present = Self.step(at: time)
        var found: Int64?
        for step in (present - Self.window)...(present + Self.window) {
            let isSame = Self.isSame(self.code(atStep: step), code)
            if isSame, step > last ?? -1 { found = step }
        }
        return found
    }

    private static func isSame(_ known: String, _ given: String) -> Bool {
        let (known, given) = (Array(known.utf8), Array(given.utf8))
        guard known.count == given.count else { return false }
        return zip(known, given).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

package import Credentials
package import Formats
import HTTPTypes
package import Hummingbird

/// The cookie that contains the token of a browser session. Scripts (`HttpOnly`) and other sites (`SameSite`) cannot
/// use it.
///
/// A browser without a session gets its token together with the form for a new listing; the guest account is created
/// when the form is sent. If the response is lost and the browser sends the form again, both requests have the same
/// token and belong to the same guest account.
package struct SessionCookie {
    package let name: String
    private let isSecure: Bool

    /// The lifetime in seconds: one year, because guests have no other way to access their listings.
    private static let lifetime = 365 * 24 * 3600

    package init(_ baseURL: BaseURL) {
        isSecure = baseURL.isSecure
        // Browsers accept the `__Host-` prefix only over TLS (RFC 6265bis, 4.1.3.2).
        name = isSecure ? "__Host-doggofinder" : "doggofinder"
    }

    /// Returns the token in the cookie, or nil if the value does not have the format of a token.
    package func token(in request: Request) -> Token? {
        guard let text = request.cookies[name]?.value, text.utf8.count == 43, text.utf8.allSatisfy(\.isBase64URL)
        else { return nil }
        return Token(text)
    }

    package func set(_ token: Token, in response: inout Response) {
        response.setCookie(cookie(token.text, maxAge: Self.lifetime))
    }

    package func clear(in response: inout Response) {
        response.setCookie(cookie("", maxAge: 0))
    }

    private func cookie(_ value: String, maxAge: Int) -> Cookie {
        Cookie(name: name, value: value, maxAge: maxAge, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax)
    }
}

extension UInt8 {
    fileprivate var isBase64URL: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

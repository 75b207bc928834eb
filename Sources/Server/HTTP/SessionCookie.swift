import Credentials
import HTTPTypes
import Hummingbird

/// The cookie in which a browser keeps its token: out of the reach of scripts and of other sites.
///
/// A browser gets its token with the form to post, and the guest's account is made with the listing: if the answer is lost and the
/// form is sent again, it is the same guest.
struct SessionCookie {
    let name: String
    private let isSecure: Bool

    /// A year: a guest has no other key to the listings.
    private static let lifetime = 365 * 24 * 3600

    init(_ baseURL: BaseURL) {
        isSecure = baseURL.isSecure
        // Browsers take the prefix only over TLS (RFC 6265bis, 4.1.3.2).
        name = isSecure ? "__Host-doggofinder" : "doggofinder"
    }

    /// Nil for anything but a token as the service makes them.
    func token(in request: Request) -> Token? {
        guard let text = request.cookies[name]?.value, text.utf8.count == 43, text.utf8.allSatisfy(\.isBase64URL)
        else { return nil }
        return Token(text)
    }

    func set(_ token: Token, in response: inout Response) {
        response.setCookie(cookie(token.text, maxAge: Self.lifetime))
    }

    func clear(in response: inout Response) {
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

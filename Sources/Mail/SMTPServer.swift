package import Domain
package import Foundation
import Transfer

/// A mail server that accepts messages for delivery.
package struct SMTPServer: Sendable {
    /// A URL with the scheme `smtp` or `smtps`, host and port, as libcurl expects it.
    let address: String
    /// Whether TLS is required.
    let needsTLS: Bool
    let user: String?
    let password: String?
    /// A file of CA certificates to trust instead of the system's.
    let authorities: URL?

    /// - Parameter text: a URL such as `smtp://mail.example.org:587`, which uses STARTTLS, or `smtps://...`, which uses
    ///   TLS from the start. `?tls=none` permits connections without TLS; this is the default for loopback addresses,
    ///   where `?tls=required` disables it.
    package init(parsing text: String, user: String?, password: String?, authorities: URL?) throws(ServiceError) {
        // The error message does not repeat the text, because it may contain a password.
        guard !text.contains("@") else {
            throw .invalid("mail", "expected no name or password in it: they go with mail-user and mail-password-file")
        }
        let error = ServiceError.invalid(
            "mail",
            "expected none, file:FOLDER, smtp://HOST:PORT or smtps://HOST:PORT, with ?tls=none or ?tls=required, got '\(text)'"
        )
        guard let url = URLComponents(string: text), ["smtp", "smtps"].contains(url.scheme), let host = url.host,
            !host.isEmpty, url.path.isEmpty || url.path == "/", url.user == nil, url.password == nil
        else { throw error }
        let wishes = (url.queryItems ?? []).filter { $0.name == "tls" }.compactMap(\.value)
        guard url.queryItems?.count ?? 0 == wishes.count, wishes.count < 2,
            wishes.allSatisfy({ ["none", "required"].contains($0) })
        else { throw error }
        needsTLS = url.scheme == "smtps" || wishes.first.map { $0 == "required" } ?? !host.isLoopbackHost
        address = "\(url.scheme ?? "smtp")://\(host)\(url.port.map { ":\($0)" } ?? "")"
        (self.user, self.password, self.authorities) = (user, password, authorities)
    }
}

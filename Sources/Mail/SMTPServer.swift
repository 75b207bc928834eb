package import Domain
package import Foundation

/// Where mails are handed in.
package struct SMTPServer: Sendable {
    /// `smtp` or `smtps`, host and port, as libcurl takes them.
    let address: String
    /// Whether nothing is sent in the clear.
    let needsTLS: Bool
    let user: String?
    let password: String?
    /// Certificates of authorities to trust instead of the system's.
    let authorities: URL?

    /// - Parameter text: like `smtp://mail.example.org:587`, where TLS begins after the greeting (STARTTLS), or `smtps://...`, where it
    ///   begins at once; `?tls=none` allows to do without, as it is on the loopback address unless `?tls=required`.
    package init(parsing text: String, user: String?, password: String?, authorities: URL?) throws(ServiceError) {
        // It is not told again: it may hold a password.
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
        let isHere = host == "localhost" || host == "[::1]" || host.wholeMatch(of: #/127(\.\d{1,3}){3}/#) != nil
        needsTLS = url.scheme == "smtps" || wishes.first.map { $0 == "required" } ?? !isHere
        address = "\(url.scheme ?? "smtp")://\(host)\(url.port.map { ":\($0)" } ?? "")"
        self.user = user
        self.password = password
        self.authorities = authorities
    }
}

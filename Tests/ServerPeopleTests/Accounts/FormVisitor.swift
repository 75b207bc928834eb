import Foundation
import FoundationNetworking
import ServerSupport

/// A visitor whose browser keeps the cookie and runs no scripts. Redirects are not followed, so that tests can check
/// their target.
final class FormVisitor {
    private let service: RunningService
    private let language: String
    private(set) var cookie: String?

    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.timeoutIntervalForRequest = 600
        return URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
    }()

    init(_ service: RunningService, language: String = "en") {
        self.service = service
        self.language = language
    }

    struct Page {
        let status: Int
        let headers: [String: String]
        let html: String

        var location: String? { headers["location"] }
    }

    func get(_ path: String) async throws -> Page { try await send("GET", path, nil) }

    @discardableResult
    func submit(_ path: String, _ fields: [String: String] = [:]) async throws -> Page {
        var plain = CharacterSet.alphanumerics
        plain.insert(charactersIn: "-._~")
        let pairs = fields.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: plain) ?? "")"
        }
        return try await send("POST", path, pairs.joined(separator: "&"))
    }

    private func send(_ method: String, _ path: String, _ body: String?) async throws -> Page {
        guard let url = URL(string: service.base + path) else { throw TestFailure("\(path) is no path") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("text/html", forHTTPHeaderField: "Accept")
        request.setValue(language, forHTTPHeaderField: "Accept-Language")
        request.setValue("same-origin", forHTTPHeaderField: "Sec-Fetch-Site")
        request.setValue(
            "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
            forHTTPHeaderField: "User-Agent"
        )
        if let cookie { request.setValue("__Host-doggofinder=\(cookie)", forHTTPHeaderField: "Cookie") }
        if let body {
            request.httpBody = Data(body.utf8)
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await Self.session.data(for: request)
        guard let http = response as? HTTPURLResponse else { throw TestFailure("no answer by HTTP") }
        let headers = http.allHeaderFields.reduce(into: [String: String]()) { result, field in
            result["\(field.key)".lowercased()] = "\(field.value)"
        }
        if let set = headers["set-cookie"]?.firstMatch(of: /__Host-doggofinder=([^;]*)/) {
            cookie = set.1.isEmpty ? nil : String(set.1)
        }
        return Page(status: http.statusCode, headers: headers, html: String(decoding: data, as: UTF8.self))
    }
}

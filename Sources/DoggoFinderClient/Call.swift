import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request to the service: a method, a path below its address, and what goes with them.
struct Call {
    let method: String
    let path: String
    var query: [URLQueryItem] = []
    var headers: [String: String] = [:]
    var body: Data?

    init(_ method: String, _ path: String, query: [URLQueryItem] = []) {
        self.method = method
        self.path = path
        self.query = query
    }

    /// A call whose body is JSON.
    init(_ method: String, _ path: String, json: some Encodable) throws {
        self.init(method, path)
        body = try JSONEncoder.wire.encode(json)
        headers["Content-Type"] = "application/json"
    }

    /// The call that reads what a link points to. Links name the public address of the service, and the client may
    /// reach it at another one, with another path before that of the interface.
    init?(_ link: Link) {
        guard let address = URLComponents(url: link.href, resolvingAgainstBaseURL: false),
            let start = address.path.range(of: "/v1/")?.lowerBound
        else { return nil }
        self.init("GET", String(address.path[start...]), query: address.queryItems ?? [])
    }

    /// The same call with the name under which the service does it only once.
    func once(_ key: UUID) -> Call {
        var call = self
        call.headers["Idempotency-Key"] = key.uuidString
        return call
    }

    func request(to server: URL) throws -> URLRequest {
        guard var address = URLComponents(url: server, resolvingAgainstBaseURL: false) else {
            throw URLError(.badURL)
        }
        address.path = address.path.hasSuffix("/") ? address.path + path.dropFirst() : address.path + path
        address.queryItems = query.isEmpty ? nil : query
        // A plus sign is a space in a query, and URLComponents leaves it as it is.
        address.percentEncodedQuery = address.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        guard let url = address.url else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }
}

extension [URLQueryItem] {
    /// Adds a parameter if it has a value.
    mutating func add(_ name: String, _ value: (some CustomStringConvertible)?) {
        if let value { append(URLQueryItem(name: name, value: value.description)) }
    }

    /// Adds a parameter with a list of values if there is one.
    mutating func add(_ name: String, list values: [some CustomStringConvertible]) {
        if !values.isEmpty { add(name, values.map(\.description).joined(separator: ",")) }
    }
}

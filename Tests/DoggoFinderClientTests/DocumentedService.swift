import DoggoFinderClient
import Foundation
import FoundationNetworking
import Synchronization
import Testing

import enum Domain.JSONValue

/// A service that checks requests against the document and answers with samples of it.
final class DocumentedService: Sendable {
    private let document: ServiceDocument
    private let received = Mutex<(requests: [URLRequest], problems: [String])>(([], []))

    private let here: URL

    init(_ document: ServiceDocument) throws {
        self.document = document
        here = try #require(URL(string: "http://here:1/below/"))
    }

    var requests: [URLRequest] { received.withLock { $0.requests } }
    var problems: [String] { received.withLock { $0.problems } }

    var client: DoggoFinder {
        DoggoFinder(at: here, token: "secret", language: "it") { try self.answer($0) }
    }

    private func answer(_ request: URLRequest) throws -> (Data, URLResponse) {
        guard let url = request.url, let method = request.httpMethod, url.path.hasPrefix("/below/") else {
            throw URLError(.badURL)
        }
        let operation = document.operations(at: String(url.path.dropFirst(6)))[method.lowercased()] ?? .null
        let problems = operation == .null ? ["\(method) \(url.path)"] : problems(of: request, url, operation)
        received.withLock { received in
            received.requests.append(request)
            received.problems += problems
        }
        let success = (operation["responses"]?.fields ?? [:]).filter { $0.key.hasPrefix("2") }.min { $0.key < $1.key }
        let schema = success?.value["content"]?.fields.values.first?["schema"]
        let body = try schema.map { try JSONEncoder().encode(document.sample(of: $0, isFull: true)) } ?? Data()
        let status = Int(success?.key ?? "") ?? 404
        return (body, try response(status, to: request))
    }

    private func problems(of request: URLRequest, _ url: URL, _ operation: JSONValue) -> [String] {
        let parameters = operation["parameters"]?.items ?? []
        let query = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        return query.flatMap { problems(of: $0, parameters) } + missing(parameters, query)
            + header("Idempotency-Key", request, parameters) + problems(ofBody: request, operation)
    }

    private func problems(of item: URLQueryItem, _ parameters: [JSONValue]) -> [String] {
        let parameter = parameters.first { $0["in"] == "query" && $0["name"] == .string(item.name) }
        guard let schema = parameter?["schema"] else { return ["parameter \(item.name)"] }
        let value = item.value ?? ""
        guard schema["type"] == "array" else { return problems(of: value, schema, item.name) }
        return value.split(separator: ",").flatMap { problems(of: String($0), schema["items"] ?? .null, item.name) }
    }

    private func problems(of value: String, _ schema: JSONValue, _ name: String) -> [String] {
        let isNumber = schema["type"] == "number" || schema["type"] == "integer"
        let json = isNumber ? Double(value).map(JSONValue.number) ?? .null : .string(value)
        return document.shape.problems(of: json, schema, at: name)
    }

    private func missing(_ parameters: [JSONValue], _ query: [URLQueryItem]) -> [String] {
        let required = parameters.filter { $0["in"] == "query" && $0["required"] == true }.compactMap {
            $0["name"]?.text
        }
        return required.filter { name in !query.contains { $0.name == name } }.map { "\($0) is missing" }
    }

    private func header(_ name: String, _ request: URLRequest, _ parameters: [JSONValue]) -> [String] {
        let isKnown = parameters.contains { $0["in"] == "header" && $0["name"] == .string(name) }
        return isKnown == (request.value(forHTTPHeaderField: name) != nil) ? [] : ["header \(name)"]
    }

    private func problems(ofBody request: URLRequest, _ operation: JSONValue) -> [String] {
        let contents = operation["requestBody"]?["content"]?.fields ?? [:]
        guard let body = request.httpBody else { return contents.isEmpty ? [] : ["no body"] }
        let type = request.value(forHTTPHeaderField: "Content-Type")?.split(separator: ";").first.map(String.init)
        guard let type, let schema = contents[type]?["schema"] else { return ["body of \(type ?? "no type")"] }
        guard type == "application/json" else { return [] }
        guard let json = try? JSONDecoder().decode(JSONValue.self, from: body) else { return ["body without JSON"] }
        return document.shape.problems(of: json, schema, at: "body")
    }
}

func response(_ status: Int, to request: URLRequest) throws -> HTTPURLResponse {
    let url = try #require(request.url)
    return try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil))
}

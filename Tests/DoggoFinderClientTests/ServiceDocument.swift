import DoggoFinderClient
import Foundation
import ServerSupport

import enum Domain.JSONValue

/// The OpenAPI document of the service, which makes samples of its schemas and knows its operations.
struct ServiceDocument {
    let json: JSONValue

    private static let shared = Task { () async throws -> JSONValue in
        var document = JSONValue.null
        try await RunningService.with(hasModel: false) { service in
            document = try await service.send("GET", "/openapi.json").json
        }
        return document
    }

    static func read() async throws -> ServiceDocument { ServiceDocument(json: try await shared.value) }

    var shape: DocumentedShape { DocumentedShape(document: json) }

    func schema(_ name: String) -> JSONValue { json["components"]?["schemas"]?[name] ?? .null }

    /// The template of a path, and its operations by method.
    func operations(at path: String) -> [String: JSONValue] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let found = (json["paths"]?.fields ?? [:]).filter { template, _ in
            let names = template.split(separator: "/", omittingEmptySubsequences: false)
            return names.count == parts.count && zip(names, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
        // `/v1/listings/count` is no listing with the id `count`.
        let best = found.min { $0.key.count { $0 == "{" } < $1.key.count { $0 == "{" } }
        return best?.value.fields ?? [:]
    }

    /// A value of a schema.
    ///
    /// - Parameter isFull: Whether it has all members, or only what is required, with null where that is possible.
    func sample(of schema: JSONValue, isFull: Bool) -> JSONValue {
        let schema = shape.resolve(schema)
        if case .array(let options)? = schema["anyOf"], let first = options.first {
            return sample(of: first, isFull: isFull)
        }
        if !isFull, schema["nullable"] == true { return .null }
        if case .array(let words)? = schema["enum"], let first = words.first { return first }
        switch schema["type"] {
        case "object":
            let required = schema["required"]?.items ?? []
            let properties = (schema["properties"]?.fields ?? [:]).filter {
                isFull || required.contains(.string($0.key))
            }
            return .object(properties.mapValues { sample(of: $0, isFull: isFull) })
        case "array":
            let least = schema["minItems"]?.number ?? (isFull ? 1 : 0)
            return .array(Array(repeating: sample(of: schema["items"] ?? .null, isFull: isFull), count: Int(least)))
        case "boolean": return true
        case "integer", "number": return 1
        default: return .string(Self.text(schema["format"]))
        }
    }

    private static func text(_ format: JSONValue?) -> String {
        switch format {
        case "uuid": "3F8E2C1A-9D4B-4C6E-8F70-1B2A3C4D5E6F"
        case "date-time": "2026-05-01T12:30:00.250Z"
        case "uri": "https://dogs.example.org/v1/listings?cursor=1"
        default: "text"
        }
    }
}

extension JSONValue {
    subscript(name: String) -> JSONValue? { fields[name] }

    var fields: [String: JSONValue] { if case .object(let fields) = self { fields } else { [:] } }
    var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
}

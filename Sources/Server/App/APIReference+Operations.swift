import Domain
import Formats
import Foundation
import HTTPTypes
import OpenAPI
import Pages

extension APIReference {
    /// Creates the page with all operations, grouped by tag.
    init(_ operations: [OpenAPI.Operation], _ baseURL: BaseURL) {
        self.init(
            OpenAPI.Operation.Tag.allCases.map { tag in
                Group(
                    name: tag.rawValue,
                    operations: operations.filter { $0.tag == tag }.map { Entry($0, baseURL) }
                )
            }
        )
    }
}

extension APIReference.Entry {
    init(_ operation: OpenAPI.Operation, _ baseURL: BaseURL) {
        let body = operation.body?.content ?? []
        self.init(
            id: operation.id,
            method: operation.method.rawValue,
            path: operation.path,
            summary: operation.summary,
            description: operation.description ?? "",
            access: operation.access == .everybody ? "" : "\(operation.access)",
            parameters: operation.parameters.map(APIReference.Value.init),
            bodyTypes: body.map(\.type),
            fields: body.first.map { $0.schema.fields } ?? [],
            answers: operation.responses.map {
                .init(status: $0.status, description: $0.description, types: $0.content.map(\.type))
            },
            example: operation.curl(baseURL)
        )
    }
}

extension APIReference.Value {
    init(_ parameter: Parameter) {
        self.init(
            name: parameter.name,
            place: parameter.place.rawValue,
            type: parameter.schema.typeDescription,
            choices: parameter.schema.choices,
            isRequired: parameter.isRequired,
            description: parameter.description
        )
    }
}

extension Schema {
    /// The schema that a reference refers to, or the schema itself if it is not a reference.
    private var resolved: Schema {
        guard case .string(let reference)? = self["$ref"], let name = reference.split(separator: "/").last else {
            return self
        }
        return Self.components[String(name)] ?? self
    }

    /// The properties of the object.
    fileprivate var fields: [APIReference.Value] {
        guard case .object(let properties)? = resolved["properties"] else { return [] }
        var required: Set<String> = []
        if case .array(let names)? = resolved["required"] { required = Set(names.compactMap(\.text)) }
        return properties.sorted { $0.key < $1.key }.compactMap { name, value in
            guard case .object(let keywords) = value else { return nil }
            let schema = Schema(keywords)
            return APIReference.Value(
                name: name,
                type: schema.typeDescription,
                choices: schema.choices,
                isRequired: required.contains(name),
                description: schema["description"]?.text ?? ""
            )
        }
    }

    /// The allowed values, if the schema is an enumeration.
    fileprivate var choices: [String] {
        if case .object(let items)? = self["items"] { return Schema(items).choices }
        guard case .array(let values)? = self["enum"] else { return [] }
        return values.compactMap(\.text).filter { !$0.isEmpty }
    }

    /// The type with its bounds, such as `integer 1…200` or `string ≤ 80`. The type of a list is in brackets.
    fileprivate var typeDescription: String {
        if case .array(let options)? = self["anyOf"] {
            return options.compactMap { option in
                if case .object(let keywords) = option { Schema(keywords).typeDescription } else { nil }
            }.joined(separator: " | ")
        }
        if case .object(let items)? = self["items"] { return "[\(Schema(items).typeDescription)]" }
        let type = self["format"]?.text ?? self["type"]?.text ?? ""
        let least = self["minimum"]?.digits ?? ""
        if let most = self["maximum"]?.digits { return "\(type) \(least)…\(most)" }
        if let longest = self["maxLength"]?.digits { return "\(type) ≤ \(longest)" }
        return least.isEmpty ? type : "\(type) ≥ \(least)"
    }
}

extension JSONValue {
    fileprivate var digits: String? {
        guard case .number(let number) = self else { return nil }
        return number == number.rounded() ? String(Int(number)) : String(number)
    }

    /// The value as it is written in a URL.
    fileprivate var urlText: String {
        switch self {
        case .array(let items): items.map(\.urlText).joined(separator: ",")
        default: text ?? digits ?? ""
        }
    }
}

extension JSONValue {
    fileprivate var inBody: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension OpenAPI.Operation {
    /// Returns a `curl` command that calls the operation.
    fileprivate func curl(_ baseURL: BaseURL) -> String {
        var words = ["curl"]
        // `curl` itself uses POST for requests with a body, and PUT for uploads.
        if method != .get, method != .put, method != .post || body == nil { words.append("-X \(method)") }
        if access == .signedIn || access == .admin { words.append(#"-H "Authorization: Bearer $TOKEN""#) }
        if let body = body?.content.first {
            switch body.type {
            case "image/jpeg": words.append(method == .put ? "-T photo.jpg" : "--data-binary @photo.jpg")
            default: words.append("--json '\(body.example?.inBody ?? "{}")'")
            }
        }
        words.append("\"\(baseURL.link(exampleAddress))\"")
        return words.joined(separator: " ")
    }

    private var exampleAddress: String {
        let path = parameters.filter { $0.place == .path }.reduce(path) { path, parameter in
            path.replacing("{\(parameter.name)}", with: parameter.example?.urlText ?? "")
        }
        let needed = parameters.filter { $0.place == .query && $0.isRequired }.map {
            "\($0.name)=\($0.example?.urlText.replacing(" ", with: "%20") ?? "")"
        }
        let query = exampleQuery ?? needed.joined(separator: "&")
        return query.isEmpty ? path : path + "?" + query
    }
}

import Domain
import Formats
import Foundation
import HTTPTypes
import OpenAPI
import Pages

extension PageBuilder {
    /// The page with all operations, grouped by tag.
    func apiReference(_ operations: [OpenAPI.Operation], _ baseURL: BaseURL) -> APIReferenceView {
        apiReference(
            apiStart(
                command: FirstCall.command(baseURL),
                answer: FirstCall.answer(baseURL),
                token: FirstCall.tokenCommand(baseURL)
            ),
            ErrorResponse.allCases.map {
                apiFailure(status: $0.rawValue, description: $0.description, isEverywhere: $0.isEverywhere)
            },
            OpenAPI.Operation.Tag.onPage.map { tag in
                apiGroup(tag.rawValue, operations.filter { $0.tag == tag }.map { apiOperation($0, baseURL) })
            }
        )
    }

    private func apiOperation(_ operation: OpenAPI.Operation, _ baseURL: BaseURL) -> APIReferenceView.Operation {
        let body = operation.body?.content ?? []
        return apiOperation(
            id: operation.id,
            method: operation.method.rawValue,
            path: operation.path,
            summary: operation.summary,
            description: operation.description ?? "",
            access: operation.access == .everybody ? "" : "\(operation.access)",
            parameters: operation.parameters.map { parameter in
                apiValue(
                    name: parameter.name,
                    place: parameter.place.rawValue,
                    type: parameter.schema.typeDescription,
                    choices: parameter.schema.choices,
                    isRequired: parameter.isRequired,
                    description: parameter.description
                )
            },
            bodyTypes: body.map(\.type),
            fields: body.first.map { fields(of: $0.schema.resolved) } ?? [],
            answers: operation.responses.filter { $0.commonError == nil }.map {
                apiAnswer(status: $0.status, description: $0.description, types: $0.content.map(\.type))
            },
            errors: operation.responses.compactMap(\.commonError).filter { !$0.isEverywhere }.map(\.rawValue),
            example: operation.curl(baseURL)
        )
    }

    /// The properties of an object.
    private func fields(of object: Schema) -> [APIReferenceView.Value] {
        guard case .object(let properties)? = object["properties"] else { return [] }
        var required: Set<String> = []
        if case .array(let names)? = object["required"] { required = Set(names.compactMap(\.text)) }
        return properties.sorted { $0.key < $1.key }.compactMap { name, value in
            guard case .object(let keywords) = value else { return nil }
            let schema = Schema(keywords)
            return apiValue(
                name: name,
                type: schema.typeDescription,
                choices: schema.choices,
                isRequired: required.contains(name),
                description: schema["description"]?.text ?? ""
            )
        }
    }
}

extension OpenAPI.Operation.Tag {
    /// The groups in the order in which programs need them.
    static let onPage: [Self] = [
        .listings, .places, .photos, .sightings, .messages, .matches, .alerts, .channels, .help, .tracks, .feeds,
        .tiles,
        .features, .geocoders, .imports, .organisations, .accounts, .operations, .moderation,
    ]
}

extension ErrorResponse {
    fileprivate var isEverywhere: Bool { Self.always.contains(self) }
}

extension Schema {
    /// The schema that a reference refers to, or the schema itself if it is not a reference.
    fileprivate var resolved: Schema {
        guard case .string(let reference)? = self["$ref"], let name = reference.split(separator: "/").last else {
            return self
        }
        return Self.components[String(name)] ?? self
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

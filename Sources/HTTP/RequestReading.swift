package import Domain
import Foundation
import HTTPTypes
package import Hummingbird
package import NIOCore

extension Request {
    private static var maxBodySize: Int { 64 * 1024 }

    /// The media type of the body in lower case, without parameters; nil if the request tells none.
    package var mediaType: String? { headers[.contentType]?.split(separator: ";").first?.trimmed.lowercased() }

    /// Returns the fields of the body, which must be a JSON object. A missing body has no fields.
    package func fields(mediaTypes: [String] = ["application/json"]) async throws -> [String: JSONValue] {
        try await fieldsAndBytes(mediaTypes: mediaTypes).fields
    }

    /// Returns the fields of the body, which must have these names.
    package func fields(
        _ names: [String],
        mediaTypes: [String] = ["application/json"]
    ) async throws -> [String: JSONValue] {
        let fields = try await fields(mediaTypes: mediaTypes)
        try fields.expect(names)
        return fields
    }

    /// Returns the fields of the body, and the body as it was sent.
    package func fieldsAndBytes(
        mediaTypes: [String] = ["application/json"]
    ) async throws -> (fields: [String: JSONValue], bytes: ByteBuffer) {
        let buffer: ByteBuffer
        // A body that is announced as too large is not waited for.
        let length = headers[.contentLength].flatMap { Int($0) } ?? 0
        do {
            guard length <= Self.maxBodySize else { throw NIOTooManyBytesError(maxBytes: Self.maxBodySize) }
            buffer = try await body.collect(upTo: Self.maxBodySize)
        } catch is NIOTooManyBytesError {
            throw ServiceError(.tooLarge, "body: expected at maximum \(Self.maxBodySize / 1024) KiB")
        }
        guard buffer.readableBytes > 0 else { return ([:], buffer) }
        if let mediaType, !mediaTypes.contains(mediaType) {
            throw ServiceError(.unsupportedMediaType, "Content-Type: expected \(mediaTypes.alternatives)")
        }
        guard let fields = try? JSONDecoder().decode([String: JSONValue].self, from: Data(buffer.readableBytesView))
        else { throw ServiceError.invalid("body", "expected a JSON object") }
        return (fields, buffer)
    }

    /// Returns the language in the `lang` parameter, else `preferredLanguage`.
    package func language(_ query: QueryReader? = nil) throws -> Language {
        try query?.choice("lang", Language.self) ?? preferredLanguage
    }

    /// The supported language that the client prefers most, else English.
    package var preferredLanguage: Language { Language(preferredIn: headers[.acceptLanguage] ?? "") ?? .english }
}

extension [String] {
    /// The media types of a merge patch (RFC 7396). Many clients send it as plain JSON.
    package static let mergePatch = ["application/merge-patch+json", "application/json"]
}

extension Language {
    /// Returns the supported language with the highest weight in a list in the format of `Accept-Language` (RFC 9110, 12.5.4).
    package init?(preferredIn list: String) {
        let wishes = list.split(separator: ",").map {
            part -> (tag: Substring, weight: Double) in
            let pieces = part.split(separator: ";")
            let weight = pieces.dropFirst().map(\.trimmed).first { $0.hasPrefix("q=") }.flatMap {
                Double($0.dropFirst(2))
            }
            return (pieces.first.map { Substring($0.trimmed) } ?? "", weight ?? 1)
        }
        // The offset is part of the sort key, so that the first of several languages with equal weight wins. A weight of 0
        // refuses a language.
        let ordered = wishes.filter { $0.weight > 0 }.enumerated().sorted {
            ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset)
        }
        guard let first = ordered.lazy.compactMap({ Language(tag: $0.element.tag) }).first else { return nil }
        self = first
    }

    /// Looks up a tag, then the tag without its last part, and so on: `de-AT` is `de` (RFC 4647, 3.4).
    private init?(tag: Substring) {
        var range = tag[...]
        while !range.isEmpty {
            if let found = Self.allCases.first(where: { $0.code.lowercased() == range.lowercased() }) {
                self = found
                return
            }
            range = range.lastIndex(of: "-").map { range[..<$0] } ?? ""
        }
        return nil
    }
}

extension Request {
    package func queryReader() -> QueryReader { QueryReader(self) }
}

/// Reads the query of a request strictly: malformed parameters are errors, and so are repeated ones that are no lists.
/// `ParameterMiddleware` rejects unknown and empty parameters.
package struct QueryReader {
    /// The maximum length of a text in characters.
    package static let maxTextLength = 200
    /// The zoom levels of web maps.
    package static let zooms = 0...24

    /// The values of each parameter, in their order.
    private let values: [String: [String]]

    package init(_ request: Request) {
        values = request.queryFields.reduce(into: [:]) { $0[$1.name, default: []].append($1.value) }
    }

    /// Creates a reader of values that a page has read already.
    package init(_ values: [String: String]) {
        self.values = values.mapValues { [$0] }
    }

    private init(_ values: [String: [String]]) {
        self.values = values
    }

    /// Returns a reader that uses `defaults` for missing parameters.
    package func assuming(_ defaults: [String: String]) -> QueryReader {
        QueryReader(values.merging(defaults.mapValues { [$0] }) { own, _ in own })
    }

    package func has(_ name: String) -> Bool { values[name] != nil }

    /// Returns the value of a parameter that is no list.
    package func value(_ name: String) throws(ServiceError) -> String? {
        guard let all = values[name] else { return nil }
        guard all.count == 1 else { throw .invalid(name, "expected once") }
        return all[0]
    }

    /// Returns the values of a list, separated by commas. Clients write lists in this form or repeat the parameter.
    package func list(_ name: String) throws(ServiceError) -> String? {
        guard let all = values[name] else { return nil }
        let text = all.joined(separator: ",")
        guard text.utf8.count <= Self.maxTextLength else {
            throw .invalid(name, "expected text of at most \(Self.maxTextLength) characters")
        }
        return text
    }

    /// - Parameter lines: whether the text may contain line breaks and tabs.
    package func text(
        _ name: String,
        atMost limit: Int = Self.maxTextLength,
        lines: Bool = false
    ) throws(ServiceError) -> String? {
        try value(name).mapText { text throws(ServiceError) in
            try Field(name, .string(text)).text(atMost: limit, lines: lines)
        }
    }

    package func choice<Choice>(_ name: String, _ type: Choice.Type) throws(ServiceError) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        try value(name).mapText { text throws(ServiceError) in try Field(name, .string(text)).choice(type) }
    }

    package func choices<Choice>(_ name: String, _ type: Choice.Type) throws(ServiceError) -> [Choice]?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let text = try list(name) else { return nil }
        var choices: [Choice] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let choice = try Field(name, .string(String(part.trimmed))).choice(type) { choices.append(choice) }
        }
        return choices
    }

    package func timestamp(_ name: String) throws(ServiceError) -> Timestamp? {
        try value(name).mapText { text throws(ServiceError) in
            // An unencoded plus sign before a time zone offset is decoded as a space.
            try Field(name, .string(text.replacing(" ", with: "+"))).timestamp()
        }
    }

    package func box() throws(ServiceError) -> BoundingBox? {
        try list("bbox").mapText { text throws(ServiceError) in try BoundingBox(parsing: text) }
    }

    /// Returns the point at `lon` and `lat`, or nil if neither parameter is present.
    package func point() throws(ServiceError) -> Coordinate? {
        guard values["lon"] != nil || values["lat"] != nil else { return nil }
        let lon = try degrees("lon", within: 180)
        let lat = try degrees("lat", within: 90)
        return Coordinate(lon: lon, lat: lat)
    }

    /// Returns the search radius in metres around the point.
    package func radius() throws(ServiceError) -> Double? {
        guard let metres = try metres("radius") else { return nil }
        guard values["lon"] != nil else { throw .invalid("radius", "expected together with lon and lat") }
        return metres
    }

    package func metres(_ name: String) throws(ServiceError) -> Double? {
        guard let text = try value(name) else { return nil }
        guard let metres = text.decimalNumber, metres > 0, metres <= Coordinate.maxDistance else {
            throw .invalid(name, "expected metres, more than 0 and at maximum \(Int(Coordinate.maxDistance))")
        }
        return metres
    }

    package func limit(_ size: PageSize) throws(ServiceError) -> Int {
        try number("limit", 1...size.maxLimit) ?? size.defaultLimit
    }

    package func zoom() throws(ServiceError) -> Int? { try number("zoom", Self.zooms) }

    private func number(_ name: String, _ range: ClosedRange<Int>) throws(ServiceError) -> Int? {
        guard let text = try value(name) else { return nil }
        guard let number = text.wholeNumber, range.contains(number) else {
            throw .invalid(name, "expected a number between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    private func degrees(_ name: String, within limit: Double) throws(ServiceError) -> Double {
        guard let value = try value(name).flatMap(\.decimalNumber), (-limit...limit).contains(value) else {
            throw .invalid(name, "expected degrees between -\(Int(limit)) and \(Int(limit)); lon and lat go together")
        }
        return value
    }
}

extension String? {
    fileprivate func mapText<Value>(_ read: (String) throws(ServiceError) -> Value?) throws(ServiceError) -> Value? {
        guard let self else { return nil }
        return try read(self)
    }
}

extension Request {
    /// Returns whether `If-None-Match` contains this entity tag, so that the client has the current version already
    /// (RFC 9110, 13.1.2).
    package func knows(_ tag: String) -> Bool {
        headers[.ifNoneMatch]?.entityTags.contains { $0 == tag || $0 == "*" } ?? false
    }
}

extension String {
    /// The entity tags in an `If-Match` or `If-None-Match` list. Weak tags lose their `W/` prefix.
    package var entityTags: [String] {
        split(separator: ",").map { String($0.trimmed) }.map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
    }
}

import Foundation

extension JSONDecoder {
    /// Reads the service's names (`created_at`) and times (RFC 3339 with milliseconds).
    static var wire: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            for style in [Date.ISO8601FormatStyle.wire, .iso8601] {
                if let date = try? style.parse(text) { return date }
            }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no time")
        }
        return decoder
    }
}

extension JSONEncoder {
    static var wire: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(.wire))
        }
        return encoder
    }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
    static var wire: Self { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}

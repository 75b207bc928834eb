package import Domain
import Foundation

/// The position at the end of a page of a list. `next` links carry it as a token that clients treat as opaque; it
/// contains nothing confidential.
package struct PageCursor {
    package let fields: [String]

    package init(_ fields: [String]) {
        self.fields = fields
    }

    /// - Parameter key: the key of the last item, greater than 0.
    package init(key: Int64) {
        self.init([String(key)])
    }

    /// Returns nil if the token is malformed.
    package init?(token: String) {
        let base64 = token.replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: padded) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        self.init(text.split(separator: "|", omittingEmptySubsequences: false).map(String.init))
    }

    /// The fields in base64url without padding (RFC 4648).
    package var token: String {
        let letters = Data(fields.joined(separator: "|").utf8).base64EncodedData().compactMap { letter in
            switch letter {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): UInt8?.none
            default: letter
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }
}

extension QueryReader {
    /// Reads the parameter `cursor`. Throws `invalid` if it is malformed, or if `decode` returns nil because it belongs
    /// to a search with other parameters.
    ///
    /// - Parameter count: the number of fields of the cursor.
    package func cursor<Value>(fields count: Int, _ decode: ([String]) -> Value?) throws(ServiceError) -> Value? {
        guard let token = try text("cursor") else { return nil }
        guard let cursor = PageCursor(token: token), cursor.fields.count == count, let value = decode(cursor.fields)
        else { throw .invalid("cursor", "expected the one of a next link, with the same parameters") }
        return value
    }

    /// Reads the parameter `cursor` of a list that is ordered by key.
    package func keyCursor() throws(ServiceError) -> Int64? {
        try cursor(fields: 1) { fields in Int64(fields[0]).flatMap { $0 > 0 ? $0 : nil } }
    }
}

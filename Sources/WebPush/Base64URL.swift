import Foundation

/// The base64url of RFC 4648, section 5.
package enum Base64URL {
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Reads text with or without padding. Returns nil for the letters `+` and `/` of plain base64.
    package static func bytes(_ text: String) -> [UInt8]? {
        guard !text.contains(where: { $0 == "+" || $0 == "/" }) else { return nil }
        let letters = text.replacing(/={1,2}$/, with: "").replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - letters.utf8.count % 4) % 4)
        return Data(base64Encoded: letters + padding).map(Array.init)
    }
}

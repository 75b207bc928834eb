import COpenSSL

/// An operation of OpenSSL that failed.
package struct CryptographyError: Error, CustomStringConvertible {
    package let description: String

    /// Takes the reasons from OpenSSL's queue of this thread.
    init(_ operation: String) {
        var reasons: [String] = []
        while reasons.count < 8, case let code = ERR_get_error(), code != 0 {
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(code, &text, text.count)
            reasons.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        ERR_clear_error()
        description = ([operation] + reasons).joined(separator: ": ")
    }
}

/// Base32 (RFC 4648, section 6) without padding. Authenticator apps take secrets in it.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func text(_ bytes: some Collection<UInt8>) -> String {
        var letters: [UInt8] = []
        var (bits, width) = (0, 0)
        for byte in bytes {
            bits = (bits << 8 | Int(byte)) & 0xFFFF
            width += 8
            while width >= 5 {
                width -= 5
                letters.append(alphabet[bits >> width & 31])
            }
        }
        if width > 0 { letters.append(alphabet[bits << (5 - width) & 31]) }
        return String(decoding: letters, as: UTF8.self)
    }
}

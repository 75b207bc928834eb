/// Hosts in URLs that are numbers: `127.1`, `0x7f000001` and `017700000001` are all 127.0.0.1 to programs that read them
/// like inet_aton. Read by the IPv4 parser of the WHATWG URL Standard, section 3.5.
enum IPv4Notation {
    /// Whether a host, in small letters and without a dot at its end, is meant as a number. If it is not a valid one, it
    /// is no name either.
    static func isUsed(by host: String) -> Bool {
        guard let last = host.split(separator: ".", omittingEmptySubsequences: false).last, !last.isEmpty else {
            return false
        }
        return last.utf8.allSatisfy(isDigit) || number(last) != nil
    }

    static func address(_ host: String) -> IPAddress? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap(number)
        guard numbers.count == parts.count, (1...4).contains(numbers.count), let last = numbers.last,
            numbers.dropLast().allSatisfy({ $0 <= 255 }), last < 1 << (8 * (5 - UInt64(numbers.count)))
        else { return nil }
        let high = numbers.dropLast().enumerated().reduce(0) { $0 | $1.element << (24 - 8 * UInt64($1.offset)) }
        return IPAddress(ipv4: UInt32(high | last))
    }

    /// Decimal, octal with a leading 0, or hexadecimal with a leading 0x.
    private static func number(_ text: Substring) -> UInt64? {
        let isHexadecimal = text.hasPrefix("0x")
        let isOctal = !isHexadecimal && text.count > 1 && text.hasPrefix("0")
        let digits = text.dropFirst(isHexadecimal ? 2 : 0)
        if isHexadecimal, digits.isEmpty { return 0 }
        guard digits.utf8.allSatisfy({ isDigit($0) || isHexadecimal && (0x61...0x66).contains($0) }) else { return nil }
        return UInt64(digits, radix: isHexadecimal ? 16 : isOctal ? 8 : 10)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

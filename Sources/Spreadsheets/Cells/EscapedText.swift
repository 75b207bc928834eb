extension String {
    /// The text without the escapes of Office Open XML, like `_x000D_` for a carriage return, and with line feeds as
    /// ends of lines.
    ///
    /// Source: ECMA-376, part 1, 22.9.2.19.
    var unescapedCell: String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "\r") }) else { return self }
        var units: [UInt16] = []
        var rest = Array(utf16)[...]
        while let unit = rest.first {
            let escaped = Self.escapedUnit(rest)
            units.append(escaped ?? unit)
            rest = rest.dropFirst(escaped == nil ? 1 : 7)
        }
        return String(decoding: units, as: UTF16.self).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }

    private static func escapedUnit(_ units: ArraySlice<UInt16>) -> UInt16? {
        let underscore = UInt16(UInt8(ascii: "_"))
        guard units.count >= 7, units[units.startIndex] == underscore, units[units.startIndex + 6] == underscore,
            units[units.startIndex + 1] == UInt16(UInt8(ascii: "x"))
        else { return nil }
        let digits = String(decoding: units[units.startIndex + 2..<units.startIndex + 6], as: UTF16.self)
        return digits.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }
            ? UInt16(digits, radix: 16) : nil
    }
}

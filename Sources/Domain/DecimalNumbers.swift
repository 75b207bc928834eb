/// Numbers in requests and filters are decimal: digits with an optional minus sign, a decimal point and an exponent.
/// Swift's own conversions also read hexadecimal numbers, a plus sign, infinities and NaN.
extension StringProtocol {
    /// The decimal number that the text is; nil if it is none, or too great for the type.
    package var decimalNumber: Double? {
        var rest = Substring(self).utf8
        func skipDigits() -> Bool {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(count)
            return count > 0
        }
        func skip(_ characters: String) -> Bool {
            guard let first = rest.first, characters.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        _ = skip("-")
        var hasDigits = skipDigits()
        if skip(".") { hasDigits = skipDigits() || hasDigits }
        guard hasDigits else { return nil }
        if skip("eE") {
            _ = skip("+-")
            guard skipDigits() else { return nil }
        }
        guard rest.isEmpty, let number = Double(String(self)), number.isFinite else { return nil }
        return number
    }

    /// The whole decimal number that the text is; nil if it is none, or too great for the type.
    package var wholeNumber: Int? { utf8.first == UInt8(ascii: "+") ? nil : Int(self) }
}

/// A number of a file as plain digits.
enum DecimalText {
    /// The significant digits that programs for spreadsheets show. Further ones are noise of binary fractions.
    private static let precision = 15
    /// The largest exponent of a number in a file, with some room.
    private static let maxExponent = 400

    /// Writes a number without an exponent, rounded to 15 significant digits. A whole number that is written with all
    /// of its digits keeps them.
    ///
    /// - Parameter text: a decimal number, maybe with a sign, a fraction and an exponent.
    /// - Returns: nil if the text is no such number.
    static func plain(_ text: Substring.UTF8View) -> String? {
        // The usual case.
        if text.count <= precision, let first = text.first, first != UInt8(ascii: "0"), text.allSatisfy(\.isDigit) {
            return String(Substring(text))
        }
        var parser = Parser(text)
        guard parser.parse() else { return nil }
        var (digits, point) = (parser.digits, parser.point)
        if !parser.isWhole, digits.count > precision {
            // Rounding may carry into a digit before the first one.
            digits = rounded(digits, &point)
        }
        while let last = digits.last, last == 0, digits.count > point { digits.removeLast() }
        guard digits.contains(where: { $0 != 0 }) else { return "0" }
        return (parser.isNegative ? "-" : "") + written(digits, point)
    }

    private static func rounded(_ digits: [UInt8], _ point: inout Int) -> [UInt8] {
        var kept = Array(digits.prefix(precision))
        guard digits[precision] >= 5 else { return kept }
        for index in kept.indices.reversed() {
            if kept[index] < 9 {
                kept[index] += 1
                return kept
            }
            kept[index] = 0
        }
        point += 1
        return [1] + kept.dropLast()
    }

    private static func written(_ digits: [UInt8], _ point: Int) -> String {
        var bytes: [UInt8] = []
        for position in min(point, 1) - 1..<max(digits.count, point) {
            if position == point { bytes.append(UInt8(ascii: ".")) }
            let digit = digits.indices.contains(position) ? digits[position] : 0
            // The zero before a fraction has the position before the point.
            bytes.append(UInt8(ascii: "0") + digit)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private struct Parser {
        var rest: Substring.UTF8View
        var isNegative = false
        /// From the first one that is not zero.
        var digits: [UInt8] = []
        /// The number of digits before the decimal point; negative if zeros follow it.
        var point = 0
        /// Whether the number has neither a fraction nor an exponent.
        var isWhole = true

        init(_ text: Substring.UTF8View) { rest = text }

        /// Returns whether the text is a number.
        mutating func parse() -> Bool {
            isNegative = rest.skip("-")
            if !isNegative { _ = rest.skip("+") }
            var count = readDigits(areFraction: false)
            if rest.skip(".") {
                isWhole = false
                count += readDigits(areFraction: true)
            }
            guard count > 0 else { return false }
            if rest.skip("e") || rest.skip("E") {
                isWhole = false
                guard let exponent = readExponent() else { return false }
                point += exponent
            }
            return rest.isEmpty && abs(point) <= DecimalText.maxExponent
        }

        private mutating func nextDigit() -> UInt8? {
            guard let byte = rest.first, byte.isDigit else { return nil }
            rest = rest.dropFirst()
            return byte - UInt8(ascii: "0")
        }

        /// Returns the number of digits, zeros before the first significant one included.
        private mutating func readDigits(areFraction: Bool) -> Int {
            var count = 0
            while let digit = nextDigit() {
                count += 1
                let isLeadingZero = digits.isEmpty && digit == 0
                if !isLeadingZero { digits.append(digit) }
                if areFraction, isLeadingZero { point -= 1 } else if !areFraction, !isLeadingZero { point += 1 }
            }
            return count
        }

        private mutating func readExponent() -> Int? {
            let isNegative = rest.skip("-")
            if !isNegative { _ = rest.skip("+") }
            var exponent: Int?
            while let digit = nextDigit() { exponent = min((exponent ?? 0) * 10 + Int(digit), 1_000_000) }
            return exponent.map { isNegative ? -$0 : $0 }
        }
    }
}

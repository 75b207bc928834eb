/// The kind of number that the format of a cell means.
enum NumberFormat: Hashable {
    case plain
    /// Whole numbers with zeros in front up to this number of digits, like the postal code 00184.
    case padded(Int)
    case date(DateText.Parts)

    /// The formats that have a number and no code in the file.
    ///
    /// Source: ECMA-376, part 1, 18.8.30.
    init(builtIn id: Int) {
        switch id {
        case 14...17: self = .date(.day)
        case 18...21, 45, 47: self = .date(.time)
        case 22: self = .date([.day, .time])
        case 46: self = .date([.time, .elapsed])
        default: self = .plain
        }
    }

    /// - Parameter code: like `dd/mm/yyyy hh:mm` or `[Red]#,##0`. The part before the first semicolon counts.
    init(code: String) {
        var scanner = Scanner(code)
        self = scanner.format()
    }

    private struct Scanner {
        private let code: [Unicode.Scalar]
        private var index = 0
        private var letters: Set<Unicode.Scalar> = []
        private var isElapsed = false
        private var zeros = 0
        private var hasOthers = false

        init(_ code: String) {
            self.code = Array(code.unicodeScalars.prefix(1000))
        }

        mutating func format() -> NumberFormat {
            while index < code.count, code[index] != ";" { step() }
            // "General" has letters without a meaning of their own.
            let isGeneral = letters.contains("g") && letters.contains("n")
            var parts: DateText.Parts = []
            if !isGeneral {
                let hasTime = isElapsed || letters.contains("h") || letters.contains("s")
                if hasTime { parts.insert(.time) }
                if isElapsed { parts.insert(.elapsed) }
                // A lone m is a month.
                let hasDay = letters.contains("y") || letters.contains("d") || letters.contains("m") && !hasTime
                if hasDay { parts.insert(.day) }
            }
            if !parts.isEmpty { return .date(parts) }
            return zeros > 1 && !hasOthers && letters.isEmpty ? .padded(zeros) : .plain
        }

        private mutating func step() {
            let character = code[index]
            index += 1
            switch character {
            case "\"": skip(to: "\"")
            // The next character is shown, or its width left free, or it fills the cell.
            case "\\", "_", "*": index += 1
            case "[": readBracket()
            case "0": zeros += 1
            case "A"..."Z", "a"..."z": letters.insert(character.lowercase)
            default: hasOthers = true
            }
        }

        /// Reads a colour, a condition, a currency and language, or elapsed time like [hh].
        private mutating func readBracket() {
            let start = index
            skip(to: "]")
            let words = Set(code[start..<max(start, index - 1)].map(\.lowercase))
            if words.count == 1, !words.isDisjoint(with: ["h", "m", "s"]) { isElapsed = true }
        }

        /// Goes behind a character, or to the end if it is missing.
        private mutating func skip(to end: Unicode.Scalar) {
            index = code[index...].firstIndex(of: end).map { $0 + 1 } ?? code.count
        }
    }
}

extension Unicode.Scalar {
    fileprivate var lowercase: Unicode.Scalar {
        ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self
    }
}

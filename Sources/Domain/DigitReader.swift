/// Reads the parts of dates and times: numbers with a fixed number of ASCII digits, and single characters.
package struct DigitReader {
    private var rest: Substring.UTF8View

    package init(_ text: String) {
        rest = text[...].utf8
    }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    package mutating func digits() -> Substring.UTF8View {
        let found = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(found.count)
        return found
    }

    package mutating func number(_ width: Int, upTo limit: Int) -> Int? {
        var number = 0
        var index = rest.startIndex
        for _ in 0..<width {
            guard index < rest.endIndex, case let digit = rest[index] &- UInt8(ascii: "0"), digit < 10 else {
                return nil
            }
            number = number * 10 + Int(digit)
            rest.formIndex(after: &index)
        }
        rest = rest[index...]
        return number <= limit ? number : nil
    }

    /// Reads a date that exists.
    package mutating func day() -> CalendarDay? {
        guard let year = number(4, upTo: 9999), take("-"), let month = number(2, upTo: 12), take("-"),
            let day = number(2, upTo: 31)
        else { return nil }
        return CalendarDay(year: year, month: month, day: day)
    }

    /// Reads the offset in seconds east of UTC: `Z`, or hours below 24 and minutes, as in `+02:00`.
    package mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(2, upTo: 23), take(":"), let minutes = number(2, upTo: 59)
        else { return nil }
        return (isEast ? 60 : -60) * (hours * 60 + minutes)
    }
}

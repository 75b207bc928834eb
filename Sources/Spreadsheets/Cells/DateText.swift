import Foundation

/// Dates and times by ISO 8601 without a zone.
///
/// Seconds are written unless they are 0. A time at midnight is left out behind a date, because most programs write a
/// day alone like that.
enum DateText {
    /// The parts of a date that a format shows.
    struct Parts: OptionSet, Hashable {
        let rawValue: UInt8

        static let day = Parts(rawValue: 1)
        static let time = Parts(rawValue: 2)
        /// Hours that go on beyond 24.
        static let elapsed = Parts(rawValue: 4)
    }

    private static let secondsPerDay = 86_400
    /// 9999-12-31, the last day of Excel.
    private static let lastDay = 2_958_465

    /// Writes a date that is stored as a number of days.
    ///
    /// - Parameter is1904: whether day 0 is 1 January 1904. Otherwise day 1 is 1 January 1900.
    /// - Returns: nil if the number is no date in these parts.
    static func text(serial: Double, _ parts: Parts, is1904: Bool) -> String? {
        guard serial >= 0, serial < Double(lastDay + 1) else { return nil }
        let seconds = Int((serial * Double(secondsPerDay)).rounded())
        let time = clock(seconds % secondsPerDay)
        guard parts.contains(.day) else { return parts.contains(.elapsed) ? clock(seconds) : time }
        let days = seconds / secondsPerDay
        // Day 0 of 1900 is a time alone; a program shows it as 0 January.
        if days == 0, !is1904 { return parts.contains(.time) ? time : nil }
        let number = is1904 ? days + 1462 : days
        guard number <= lastDay else { return nil }
        let day = day(number)
        return parts.contains(.time) && seconds % secondsPerDay != 0 ? "\(day)T\(time)" : day
    }

    /// Writes a date of an XML file, like 2026-10-11, 2026-10-11T18:30:00.000 or 18:30:00Z.
    ///
    /// - Returns: nil if the text is no such date.
    static func text(iso8601 text: String) -> String? {
        let halves = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = halves.first else { return nil }
        if halves.count == 1, first.contains(":") { return clock(iso8601: first).map { clock($0) } }
        guard isDay(first) || first.isEmpty && halves.count == 2 else { return nil }
        guard halves.count == 2 else { return String(first) }
        guard let seconds = clock(iso8601: halves[1]) else { return nil }
        if first.isEmpty { return clock(seconds) }
        return seconds == 0 ? String(first) : "\(first)T\(clock(seconds))"
    }

    /// Writes a duration of an XML file, like PT18H30M00S, as hours, minutes and seconds.
    ///
    /// - Returns: nil if the text is no duration in days or smaller units, or more than a million hours.
    static func text(duration text: String) -> String? {
        var rest = text.utf8[...]
        let isNegative = rest.skip("-")
        guard rest.skip("P"), let last = rest.last, last != UInt8(ascii: "T") else { return nil }
        var (seconds, isBehindT) = (0.0, false)
        while let first = rest.first {
            if first == UInt8(ascii: "T"), !isBehindT {
                isBehindT = true
                rest = rest.dropFirst()
            } else {
                guard let part = secondsOfPart(&rest, isBehindT) else { return nil }
                seconds += part
            }
        }
        guard seconds < 3.6e9 else { return nil }
        return (isNegative ? "-" : "") + clock(Int(seconds.rounded()))
    }

    /// Reads a number with its unit from a duration. An M before the T is a month, whose length is not known.
    private static func secondsOfPart(_ rest: inout Substring.UTF8View, _ isBehindT: Bool) -> Double? {
        let digits = rest.prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
        rest = rest[digits.endIndex...]
        guard let number = Double(String(Substring(digits))), let unit = rest.popFirst() else { return nil }
        switch (unit, isBehindT) {
        case (UInt8(ascii: "D"), false): return number * 86_400
        case (UInt8(ascii: "H"), true): return number * 3_600
        case (UInt8(ascii: "M"), true): return number * 60
        case (UInt8(ascii: "S"), true): return number
        default: return nil
        }
    }

    private static func clock(_ seconds: Int) -> String {
        let minutes = seconds / 60
        let time = "\(twoDigits(minutes / 60)):\(twoDigits(minutes % 60))"
        return seconds % 60 == 0 ? time : "\(time):\(twoDigits(seconds % 60))"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// - Parameter serial: by the calendar of 1900, from 1.
    private static func day(_ serial: Int) -> String {
        // Excel has a 29 February 1900, which never was, for files of Lotus 1-2-3.
        if serial == 60 { return "1900-02-29" }
        // 1 January 1970 is 25569.
        var time = time_t((serial < 60 ? serial + 1 : serial) - 25_569) * secondsPerDay
        var parts = tm()
        gmtime_r(&time, &parts)
        return "\(1900 + parts.tm_year)-\(twoDigits(Int(parts.tm_mon) + 1))-\(twoDigits(Int(parts.tm_mday)))"
    }

    private static func isDay(_ text: Substring) -> Bool {
        var rest = text.utf8
        guard rest.number(digits: 4) != nil, rest.skip("-"), let month = rest.number(digits: 2), rest.skip("-"),
            let day = rest.number(digits: 2)
        else { return false }
        return rest.isEmpty && (1...12).contains(month) && (1...31).contains(day)
    }

    /// Returns the seconds since midnight. A fraction of a second and a zone are left out.
    private static func clock(iso8601 text: Substring) -> Int? {
        var rest = text.utf8
        guard let hours = rest.number(digits: 2), hours < 24, rest.skip(":"), let minutes = rest.number(digits: 2),
            minutes < 60
        else { return nil }
        var seconds = 0
        if rest.skip(":") {
            guard let number = rest.number(digits: 2), number < 60 else { return nil }
            seconds = number
            if rest.skip(".") { rest = rest.drop { $0.isDigit } }
        }
        let isUTC = rest.skip("Z")
        if !isUTC, rest.skip("+") || rest.skip("-") { rest = rest.drop { $0.isDigit || $0 == UInt8(ascii: ":") } }
        return rest.isEmpty ? hours * 3600 + minutes * 60 + seconds : nil
    }
}

extension Substring.UTF8View {
    /// Removes the first character if it is this one.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: character) else { return false }
        self = dropFirst()
        return true
    }

    /// Removes a number with so many digits.
    fileprivate mutating func number(digits count: Int) -> Int? {
        let digits = prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
        self = dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

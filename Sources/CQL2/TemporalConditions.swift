import Domain

/// A time in SQL: its first and its last instant, inclusive. They are equal for an instant.
struct Moments {
    let start: Fragment
    let end: Fragment
    /// Whether it was written as INTERVAL. A day also has two ends but counts as an instant of low precision.
    let isInterval: Bool
    private let isInstant: Bool

    init(_ instant: Fragment) {
        start = instant
        end = instant
        isInstant = true
        isInterval = false
    }

    init(_ time: TimeLiteral, _ dialect: any Dialect) {
        start = dialect.text(time.start)
        end = dialect.text(time.end)
        isInstant = time.start == time.end
        isInterval = false
    }

    init(date column: Fragment) {
        start = "(\(column) || 'T00:00:00.000Z')"
        end = "(\(column) || 'T23:59:59.999Z~')"
        isInstant = false
        isInterval = false
    }

    init(from start: Fragment, to end: Fragment) {
        self.start = start
        self.end = end
        isInstant = false
        isInterval = true
    }

    /// Compares two times. With a day, `=` tests whether the instant is in the day, and the other operators test
    /// whether it is before or after the whole day.
    func compared(_ name: Operator, _ other: Moments) -> Fragment {
        switch name {
        case .less: "(\(end) < \(other.start))"
        case .greater: "(\(start) > \(other.end))"
        case .lessOrEqual: "(\(start) <= \(other.end))"
        case .greaterOrEqual: "(\(end) >= \(other.start))"
        case .notEqual: "(NOT \(compared(.equal, other)))"
        case _ where isInstant && other.isInstant: "(\(start) = \(other.start))"
        default: "(\(start) <= \(other.end) AND \(end) >= \(other.start))"
        }
    }
}

extension ConditionBuilder {
    /// Compares the ends of two intervals. An instant is an interval with equal ends.
    func temporal(_ name: Operator, _ arguments: [Expression]) throws(ServiceError) -> Fragment {
        let (a, b) = (try moments(arguments[0]), try moments(arguments[1]))
        switch name {
        case .timeAfter: return "(\(a.start) > \(b.end))"
        case .timeBefore: return "(\(a.end) < \(b.start))"
        case .timeDisjoint: return "(\(a.end) < \(b.start) OR \(a.start) > \(b.end))"
        case .timeIntersects: return "(\(a.end) >= \(b.start) AND \(a.start) <= \(b.end))"
        case .timeEquals where !a.isInterval && !b.isInterval: return a.compared(.equal, b)
        case .timeEquals: return "(\(a.start) = \(b.start) AND \(a.end) = \(b.end))"
        case .timeContains: return "(\(a.start) < \(b.start) AND \(a.end) > \(b.end))"
        case .timeDuring: return "(\(a.start) > \(b.start) AND \(a.end) < \(b.end))"
        case .timeFinishedBy: return "(\(a.start) < \(b.start) AND \(a.end) = \(b.end))"
        case .timeFinishes: return "(\(a.start) > \(b.start) AND \(a.end) = \(b.end))"
        case .timeMeets: return "(\(a.end) = \(b.start))"
        case .timeMetBy: return "(\(a.start) = \(b.end))"
        case .timeOverlaps: return "(\(a.start) < \(b.start) AND \(a.end) > \(b.start) AND \(a.end) < \(b.end))"
        case .timeOverlappedBy: return "(\(a.start) > \(b.start) AND \(a.start) < \(b.end) AND \(a.end) > \(b.end))"
        case .timeStartedBy: return "(\(a.start) = \(b.start) AND \(a.end) > \(b.end))"
        default: return "(\(a.start) = \(b.start) AND \(a.end) < \(b.end))"
        }
    }

    private func moments(_ expression: Expression) throws(ServiceError) -> Moments {
        switch expression {
        case .interval(let start, let end):
            // These texts sort before and after all times.
            return Moments(
                from: start == .unbounded ? "''" : try moments(start).start,
                to: end == .unbounded ? "'~'" : try moments(end).end
            )
        case .text(let text):
            guard let time = TimeLiteral(text) else { break }
            return Moments(time, dialect)
        case .time(let time): return Moments(time, dialect)
        case .property:
            if case .time(let moments) = try operand(expression) { return moments }
        default: break
        }
        throw Self.expected("a time, an interval or a property that is one", found: expression)
    }
}

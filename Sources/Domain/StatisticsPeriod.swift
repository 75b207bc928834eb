/// The length of the periods of statistics. All of them are in UTC.
package enum StatisticsInterval: String, CaseIterable, Sendable {
    case day
    /// From Monday to Sunday.
    case week
    case month

    /// Returns the first day of the period that contains a day. Days are counted since 1970.
    package func start(of day: Int) -> Int {
        switch self {
        case .day: day
        // 1970-01-01 was a Thursday.
        case .week: day - ((day + 3) % 7 + 7) % 7
        case .month: CalendarDay(daysSince1970: day).map { day - $0.day + 1 } ?? day
        }
    }

    /// Returns the first day of the next period.
    package func next(after start: Int) -> Int {
        switch self {
        case .day: start + 1
        case .week: start + 7
        // Every month has at least 28 and at most 31 days.
        case .month: self.start(of: start + 31)
        }
    }
}

/// Which cases statistics are about.
package struct StatisticsQuery: Hashable, Sendable {
    package var interval = StatisticsInterval.month
    /// The periods that begin in the one that contains this time or later.
    package var since: Timestamp?
    /// The periods that begin before this time.
    package var until: Timestamp?
    /// The statuses with which the listings were posted.
    package var statuses = Set(Listing.Status.open)
    package var species: Species?
    /// Keys of breeds; nil for all animals.
    package var breeds: Set<String>?
    /// As listings name it.
    package var region: String?

    package init() {}
}

/// The figures of a period. Counts are rounded down to a multiple of five; nil stands for fewer than five cases.
package struct PeriodFigures: Sendable {
    /// The first day, and the first one of the next period, in days since 1970.
    package let start: Int
    package let end: Int
    package let posted: [Listing.Status: Int]
    package let reunited: Int?
    package let byMatch: Int?
    package let otherwise: Int?
    package let days: Spread?
    package let metres: Spread?

    package init(
        start: Int,
        end: Int,
        posted: [Listing.Status: Int],
        reunited: Int?,
        byMatch: Int?,
        otherwise: Int?,
        days: Spread?,
        metres: Spread?
    ) {
        (self.start, self.end, self.posted) = (start, end, posted)
        (self.reunited, self.byMatch, self.otherwise) = (reunited, byMatch, otherwise)
        (self.days, self.metres) = (days, metres)
    }
}

extension Int {
    /// A count as the public may see it: rounded down to a multiple of five, and nil below five. Differences between two
    /// such counts do not tell whether a single case is among them.
    package var publicCount: Int? { self < 5 ? nil : self / 5 * 5 }
}

/// How the values of at least five cases are spread.
package struct Spread: Equatable, Sendable {
    /// The bound of classes that the smallest value is not below.
    package let minimum: Int
    package let mean: Int
    package let median: Int
    /// The bound of classes that the largest value is below; nil if it is above all bounds.
    package let maximum: Int?

    /// Returns nil for fewer than five cases.
    ///
    /// - Parameter values: the number of cases by value.
    package init?(_ values: [Int: Int], _ scale: ValueClasses) {
        let count = values.values.reduce(0, +)
        guard count.publicCount != nil else { return nil }
        let sorted = values.sorted { $0.key < $1.key }
        let sum = sorted.reduce(0.0) { $0 + Double($1.key) * Double($1.value) }
        let middle = (Self.value(at: (count - 1) / 2, sorted) + Self.value(at: count / 2, sorted)) / 2
        minimum = scale.bounds.last { $0 <= sorted[0].key } ?? 0
        maximum = scale.bounds.first { $0 > sorted[sorted.count - 1].key }
        mean = Int((sum / Double(count) / scale.precision).rounded() * scale.precision)
        median = Int((middle / scale.precision).rounded() * scale.precision)
    }

    private static func value(at index: Int, _ sorted: [(key: Int, value: Int)]) -> Double {
        var rest = index
        for (value, count) in sorted {
            if rest < count { return Double(value) }
            rest -= count
        }
        return 0
    }
}

/// The classes into which statistics divide values.
package struct ValueClasses: Sendable {
    /// The lower bounds of all classes.
    package let bounds: [Int]
    /// The number of classes of a histogram. The last one has no upper bound.
    package let shown: Int
    /// To what means and medians are rounded.
    let precision: Double

    /// Whether each whole number between the bounds is a value.
    package var isWhole: Bool { precision == 1 }

    package static let days = ValueClasses(
        bounds: [0, 1, 3, 7, 14, 30, 90, 365, 730, 1_825, 3_650],
        shown: 8,
        precision: 1
    )
    package static let metres = ValueClasses(
        bounds: [0, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000],
        shown: 8,
        precision: 100
    )

    /// Returns the public counts of the classes of a histogram.
    package func histogram(_ values: [Int: Int]) -> [Int?] {
        var counts = Array(repeating: 0, count: shown)
        for (value, count) in values {
            counts[bounds.prefix(shown).lastIndex { $0 <= value } ?? 0] += count
        }
        return counts.map(\.publicCount)
    }
}

/// All reunions of a query together, for histograms. Counts are as in `PeriodFigures`.
package struct ReunionFigures: Sendable {
    package let byMatch: Int?
    package let otherwise: Int?
    package let days: [Int?]
    package let metres: [Int?]

    package init(byMatch: Int?, otherwise: Int?, days: [Int?], metres: [Int?]) {
        (self.byMatch, self.otherwise, self.days, self.metres) = (byMatch, otherwise, days, metres)
    }
}

package import Domain

extension StatisticsSnapshot {
    /// The newest periods that an answer contains at most.
    package static let maxPeriods = 1_000

    /// Returns the figures of each period from the first five posts, or from `since`, to the present or to `until`.
    package func figures(_ query: StatisticsQuery) -> [PeriodFigures] {
        let starts = periods(query)
        guard let first = starts.first, let last = starts.last else { return [] }
        let end = query.interval.next(after: last)
        var tallies: [Int: Tally] = [:]
        forEach(postings, query, first..<end) { cell, start in tallies[start, default: Tally()].addPosting(cell) }
        forEach(reunions, query, first..<end) { cell, start in tallies[start, default: Tally()].addReunion(cell) }
        return starts.map { start in
            (tallies[start] ?? Tally()).figures(start: start, end: query.interval.next(after: start))
        }
    }

    /// Returns the reunions of all times.
    package func reunionFigures(_ query: StatisticsQuery) -> ReunionFigures {
        var tally = Tally()
        forEach(reunions, query, nil) { cell, _ in tally.addReunion(cell) }
        return tally.reunionFigures
    }

    /// Returns the first days of the periods.
    private func periods(_ query: StatisticsQuery) -> [Int] {
        let until = query.until.map { $0.milliseconds > 0 ? $0.adding(seconds: -0.001).dayNumber : $0.dayNumber - 1 }
        let last = min(until ?? time.dayNumber, time.dayNumber)
        guard let first = query.since?.dayNumber ?? firstDay, first <= last else { return [] }
        var starts: [Int] = []
        var start = query.interval.start(of: last)
        let earliest = query.interval.start(of: first)
        while start >= earliest, starts.count < Self.maxPeriods {
            starts.append(start)
            start = query.interval.start(of: start - 1)
        }
        return starts.reversed()
    }

    private func facets(_ table: [Facet: [StatisticsCell]], _ query: StatisticsQuery) -> [Facet] {
        guard let breeds = query.breeds else { return [Facet(breeds: nil, region: query.region)] }
        return table.keys.filter { $0.region == query.region && $0.breeds.map(breeds.isDisjoint) == false }
    }

    /// Calls `body` with each cell of a query and the first day of its period.
    ///
    /// - Parameter days: nil for all.
    private func forEach(
        _ table: [Facet: [StatisticsCell]],
        _ query: StatisticsQuery,
        _ days: Range<Int>?,
        _ body: (StatisticsCell, Int) -> Void
    ) {
        let isAnyStatus = query.statuses.count == Listing.Status.open.count
        for facet in facets(table, query) {
            guard let cells = table[facet] else { continue }
            let first = days.map { Self.index(of: $0.lowerBound, cells) } ?? 0
            let end = days.map { Self.index(of: $0.upperBound, cells) } ?? cells.count
            var period = 0..<0
            for cell in cells[first..<end] {
                guard query.species == nil || cell.species == query.species,
                    isAnyStatus || cell.status.map(query.statuses.contains) == true
                else { continue }
                let day = cell.day
                if !period.contains(day) {
                    let start = query.interval.start(of: day)
                    period = start..<query.interval.next(after: start)
                }
                body(cell, period.lowerBound)
            }
        }
    }

    /// Returns the index of the first cell of a day or later.
    private static func index(of day: Int, _ cells: [StatisticsCell]) -> Int {
        let key = StatisticsCell.start(of: day)
        var (low, high) = (0, cells.count)
        while low < high {
            let middle = (low + high) / 2
            if cells[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Exact counts, which never leave this file.
    private struct Tally {
        private var posted: [Listing.Status: Int] = [:]
        private var byMatch = 0
        private var otherwise = 0
        private var days: [Int: Int] = [:]
        private var metres: [Int: Int] = [:]

        mutating func addPosting(_ cell: StatisticsCell) {
            guard let status = cell.status else { return }
            posted[status, default: 0] += Int(cell.count)
        }

        mutating func addReunion(_ cell: StatisticsCell) {
            let count = Int(cell.count)
            if cell.isLinked { byMatch += count } else { otherwise += count }
            if let value = cell.days { days[value, default: 0] += count }
            if let value = cell.metres { metres[value, default: 0] += count }
        }

        func figures(start: Int, end: Int) -> PeriodFigures {
            PeriodFigures(
                start: start,
                end: end,
                posted: posted.compactMapValues(\.publicCount),
                reunited: (byMatch + otherwise).publicCount,
                byMatch: byMatch.publicCount,
                otherwise: otherwise.publicCount,
                days: Spread(days, .days),
                metres: Spread(metres, .metres)
            )
        }

        var reunionFigures: ReunionFigures {
            ReunionFigures(
                byMatch: byMatch.publicCount,
                otherwise: otherwise.publicCount,
                days: ValueClasses.days.histogram(days),
                metres: ValueClasses.metres.histogram(metres)
            )
        }
    }
}

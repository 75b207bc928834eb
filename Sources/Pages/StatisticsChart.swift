package import Domain
package import Localization

/// The figures in the charts of a selection of listings: the newest months, the oldest first, and the reunions.
package typealias StatisticsFigures = (months: [PeriodFigures], reunions: ReunionFigures)

/// A chart of bars, and the table that it is drawn from.
package struct StatisticsChart: Sendable {
    package enum Name: String, CaseIterable, Sendable {
        case missing
        case days
        case distance
        case how
    }

    /// The bars at one place of the horizontal axis.
    struct Row: Sendable {
        let label: String
        /// For the axis.
        let short: String
        /// One for each series; nil for fewer than five cases.
        let values: [Int?]
    }

    package let name: Name
    let title: String
    let description: String
    /// The name of the rows, and then the names of the series.
    let header: [String]
    let rows: [Row]
    /// The text for fewer than five cases.
    let few: String
    let localizer: Localizer

    /// - Parameter selection: which animals these are; empty for all.
    package init(_ name: Name, _ figures: StatisticsFigures, selection: String, _ localizer: Localizer) {
        self.name = name
        self.localizer = localizer
        let key = "statistics.\(name.rawValue)"
        title = localizer(key) + (selection.isEmpty ? "" : " (\(selection))")
        description = localizer("\(key)Text")
        few = localizer("statistics.few")
        let animals = localizer("statistics.animals")
        let reunions = figures.reunions
        switch name {
        case .missing:
            header = ["month", "posted", "reunited"].map { localizer("statistics.\($0)") }
            rows = figures.months.map { Row($0, localizer) }
        case .days:
            header = [localizer("statistics.dayClass"), animals]
            rows = Row.classes(.days, reunions.days, localizer) { localizer.number($0) }
        case .distance:
            header = [localizer("statistics.distanceClass"), animals]
            rows = Row.classes(.metres, reunions.metres, localizer) { localizer.number(Double($0) / 1_000) }
        case .how:
            header = [localizer("statistics.way"), animals]
            rows = [("byMatch", reunions.byMatch), ("otherwise", reunions.otherwise)].map { way, count in
                let label = localizer("statistics.\(way)")
                return Row(label: label, short: label, values: [count])
            }
        }
    }

    /// The cells of the table, with the header first. Counts below five are empty.
    package var table: [[String]] {
        [header] + rows.map { row in [row.label] + row.values.map { $0.map(String.init) ?? "" } }
    }

    func view(address: String, query: String) -> StatisticsView.ChartView {
        StatisticsView.ChartView(
            name: name.rawValue, title: title, description: description, svg: svg(isAlone: false),
            image: "\(address)/\(name.rawValue).svg\(query)", file: "\(address)/\(name.rawValue).csv\(query)",
            header: header,
            rows: rows.map { row in
                StatisticsView.ChartRowView(label: row.label, cells: row.values.map { $0.map(localizer.number) ?? few })
            }
        )
    }
}

extension StatisticsChart.Row {
    fileprivate init(_ month: PeriodFigures, _ localizer: Localizer) {
        let start = Timestamp(milliseconds: Int64(month.start) * Int64(CalendarDay.seconds) * 1_000)
        let text = start.text
        self.init(
            label: localizer.month(start),
            short: "\(text.dropFirst(5).prefix(2))/\(text.dropFirst(2).prefix(2))",
            values: [month.posted[.lost], month.reunited]
        )
    }

    /// Returns a row for each class, such as "< 1", "1–2" and "≥ 50".
    fileprivate static func classes(
        _ classes: ValueClasses,
        _ counts: [Int?],
        _ localizer: Localizer,
        _ number: (Int) -> String
    ) -> [Self] {
        counts.enumerated().map { index, count in
            let (low, high) = (classes.bounds[index], classes.bounds[index + 1])
            let label =
                if index == 0 {
                    "< \(number(high))"
                } else if index == counts.count - 1 {
                    "≥ \(number(low))"
                } else {
                    // Days are whole numbers, and the last one of a class is that before the next class.
                    classes.isWhole ? "\(number(low))–\(number(high - 1))" : "\(number(low))–\(number(high))"
                }
            return Self(label: label, short: label.replacing(" ", with: ""), values: [count])
        }
    }
}

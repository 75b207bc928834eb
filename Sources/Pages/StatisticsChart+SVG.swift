extension StatisticsChart {
    /// Sizes in the units of the view box, which are pixels on a phone.
    private enum Size {
        static let width = 360.0
        static let height = 230.0
        static let left = 38.0
        static let right = 6.0
        static let top = 28.0
        static let bottom = 26.0
        static let plotWidth = width - left - right
        static let base = height - bottom
        static let plotHeight = base - top
        /// The share of the space of a row that its bars take.
        static let barShare = 0.8
        static let maxBarWidth = 60.0
    }

    /// The colours of the series, as classes of the style sheet.
    private var classes: [String] { name == .missing ? ["lost", "reunited"] : ["reunited"] }

    /// Returns the chart as an SVG element.
    ///
    /// - Parameter isAlone: whether it is an image of its own, which needs the colours, and the title as a visible text.
    package func svg(isAlone: Bool) -> String {
        let step = axisStep
        let top = max(step, (largest + step - 1) / step * step)
        let lines = stride(from: 0, through: top, by: step).map { gridLine($0, of: top) }
        let bars = rows.indices.flatMap { self.bars($0, of: top) }
        let head = isAlone ? "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"500\"" : "<svg"
        // The title of an image takes a line above the chart.
        let start = isAlone ? -20.0 : 0
        return """
            \(head) class="chart" role="img" viewBox="0 \(Self.digits(start)) \(Self.digits(Size.width)) \
            \(Self.digits(Size.height - start))" aria-labelledby="\(name.rawValue)-title \(name.rawValue)-desc">
            <title id="\(name.rawValue)-title">\(title.escaped)</title>
            <desc id="\(name.rawValue)-desc">\(summary.escaped)</desc>
            \(isAlone ? Self.style + ground + text(title, x: 6, y: -6, size: 11, "start") : "")
            \((lines + bars + legend + labels).joined(separator: "\n"))
            </svg>
            """
    }

    private var largest: Int { rows.flatMap(\.values).compactMap(\.self).max() ?? 0 }

    /// The description in words, and the largest bar.
    private var summary: String {
        let bars = rows.flatMap { row in row.values.map { (row.label, $0 ?? 0) } }
        guard let most = bars.max(by: { $0.1 < $1.1 }), most.1 > 0 else {
            return "\(description) \(localizer("statistics.empty"))"
        }
        let text = localizer("statistics.most", ["row": most.0, "n": localizer.number(most.1)])
        return "\(description) \(text)"
    }

    /// The distance of two lines of the grid: 5, 10, 20, 50, 100 and so on, so that there are at most five lines.
    private var axisStep: Int {
        var step = 5
        while step * 4 < largest { step = String(step).hasPrefix("2") ? step / 2 * 5 : step * 2 }
        return step
    }

    private func y(_ value: Int, of top: Int) -> Double {
        Size.base - Size.plotHeight * Double(value) / Double(top)
    }

    private func gridLine(_ value: Int, of top: Int) -> String {
        let y = y(value, of: top)
        let line = """
            <line class="grid-line" x1="\(Self.digits(Size.left))" x2="\(Self.digits(Size.width - Size.right))" \
            y1="\(Self.digits(y))" y2="\(Self.digits(y))"/>
            """
        return line + text(localizer.number(value), x: Size.left - 4, y: y + 3, size: 9, "end")
    }

    /// The middle of a row on the horizontal axis.
    private func middle(_ index: Int) -> Double {
        Size.left + Size.plotWidth * (Double(index) + 0.5) / Double(rows.count)
    }

    private func bars(_ index: Int, of top: Int) -> [String] {
        let values = rows[index].values
        let space = Size.plotWidth / Double(rows.count) * Size.barShare
        let width = min(Size.maxBarWidth, space / Double(values.count))
        let start = middle(index) - width * Double(values.count) / 2
        return values.enumerated().compactMap { series, value in
            let x = start + width * Double(series)
            guard let value else {
                return values.count == 1 ? text("< 5", x: x + width / 2, y: Size.base - 4, size: 9, "middle") : nil
            }
            let y = y(value, of: top)
            let bar = """
                <rect class="\(classes[series])" x="\(Self.digits(x))" y="\(Self.digits(y))" width="\(Self.digits(width))" \
                height="\(Self.digits(Size.base - y))"/>
                """
            guard values.count == 1 else { return bar }
            return bar + text(localizer.number(value), x: x + width / 2, y: y - 3, size: 9, "middle")
        }
    }

    private var labels: [String] {
        rows.enumerated().map { index, row in
            text(row.short, x: middle(index), y: Size.base + 13, size: rows.count > 2 ? 9 : 11, "middle")
        }
    }

    /// The colours of two series, or the name of the only one.
    private var legend: [String] {
        let names = header.dropFirst()
        guard names.count > 1 else { return [text(names.first ?? "", x: 6, y: 12, size: 10, "start")] }
        return names.enumerated().map { index, name in
            let x = Size.left + Size.plotWidth / Double(names.count) * Double(index)
            let square =
                "<rect class=\"\(classes[index])\" x=\"\(Self.digits(x))\" y=\"5\" width=\"10\" height=\"10\"/>"
            return square + text(name, x: x + 14, y: 14, size: 11, "start")
        }
    }

    private func text(_ text: String, x: Double, y: Double, size: Int, _ anchor: String) -> String {
        """
        <text x="\(Self.digits(x))" y="\(Self.digits(y))" font-size="\(size)" text-anchor="\(anchor)">\(text.escaped)</text>
        """
    }

    private var ground: String { #"<rect class="ground" y="-20" width="100%" height="100%"/>"# }

    /// The colours of the pages, for images on their own.
    private static let style = """
        <style>
        text { font-family: system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: #241d18; }
        .ground { fill: #fff; } .grid-line { stroke: #d9cfc5; } .lost { fill: #b3261e; } .reunited { fill: #6b3fa0; }
        @media (prefers-color-scheme: dark) {
        text { fill: #f4eee8; } .ground { fill: #231f1b; } .grid-line { stroke: #453d36; } .lost { fill: #ffb4ab; }
        .reunited { fill: #d3b5ff; }
        }
        </style>
        """

    /// With one decimal.
    private static func digits(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}

extension String {
    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}

/// A table of facts with columns of equal width; long facts span several columns.
struct FactTable {
    struct Cell {
        let label: TextBlock
        let value: TextBlock
        /// In points from the left edge of the table.
        let x: Double
        let width: Double
    }

    struct Row {
        var cells: [Cell] = []

        var height: Double { cells.map { $0.label.height + $0.value.height }.max() ?? 0 }
    }

    private(set) var rows: [Row] = []
    /// The font size of the values, in points.
    let size: Double
    private let columns: Int
    private let column: Double
    private var used: Int

    /// The space between two rows, in points.
    var gap: Double { size * 0.45 }
    var height: Double { rows.reduce(0) { $0 + $1.height + gap } }

    /// Stops after the first row that exceeds the height of the box.
    init(_ facts: [Flyer.Fact], size: Double, within box: Box, canvas: Canvas) {
        self.size = size
        columns = max(1, Int(box.width / (size * 8)))
        column = (box.width + size) / Double(columns)
        used = columns
        for fact in facts where height <= box.height { add(fact, canvas) }
    }

    private mutating func add(_ fact: Flyer.Fact, _ canvas: Canvas) {
        let labelSize = max(9, size * 0.6)
        let labelStyle = TextStyle(weight: .bold, sizes: labelSize...labelSize, colour: .grey)
        let label = TextBlock(fact.label, labelStyle, on: canvas)
        let value = TextBlock(fact.value, TextStyle(weight: .bold, sizes: size...size), on: canvas)
        let span = min(columns, max(1, Int(((value.width + size) / column).rounded(.up))))
        if used + span > columns {
            rows.append(Row())
            used = 0
        }
        let width = column * Double(span) - size
        label.fit(width: width, height: labelSize * 1.3)
        value.fit(width: width, height: size * (columns == 1 ? 5 : 2.5))
        rows[rows.count - 1].cells.append(Cell(label: label, value: value, x: column * Double(used), width: width))
        used += span
    }
}

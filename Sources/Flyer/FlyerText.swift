/// The facts as a table, and the description below it.
struct FlyerText {
    let facts: [Flyer.Fact]
    let description: String
    /// The largest size of the values, in points.
    let largest: Double
    let canvas: Canvas

    init(_ flyer: Flyer, on canvas: Canvas) {
        self.init(flyer.facts, flyer.description, largest: 32, on: canvas)
    }

    init(_ facts: [Flyer.Fact], _ description: String?, largest: Double, on canvas: Canvas) {
        self.facts = facts.prefix(12)
            .map { Flyer.Fact($0.label.singleLine(limit: 60), $0.value.singleLine(limit: 200)) }
            .filter { !$0.value.isEmpty }
        self.description = description?.plainText(limit: 4000) ?? ""
        self.largest = largest
        self.canvas = canvas
    }

    func draw(in box: Box) {
        let table = table(in: box)
        var rest = box
        for row in table.rows {
            guard row.height <= rest.height else { break }
            draw(row, in: rest.cutTop(row.height, gap: table.gap))
        }
        guard !description.isEmpty, rest.height >= Self.minDescription else { return }
        // Cuts the text first, because laying out thousands of letters for each size takes long.
        let readable = String(description.unicodeScalars.prefix(Self.maxLetters(in: rest.area, size: Self.minSize)))
        canvas.write(readable, TextStyle(sizes: Self.minSize...table.size), in: rest)
    }

    /// The height in points for all facts and the beginning of the description in the smallest readable sizes.
    func smallestHeight(width: Double) -> Double {
        let facts = FactTable(
            facts,
            size: Self.minFactSize,
            within: Box(x: 0, y: 0, width: width, height: 300),
            canvas: canvas
        )
        let beginning = String(description.unicodeScalars.prefix(400))
        let block = TextBlock(beginning, TextStyle(sizes: Self.minSize...Self.minSize), on: canvas)
        block.fit(width: width, height: 100)
        return facts.height + (description.isEmpty ? 0 : max(block.height, Self.minDescription) + 1)
    }

    private func draw(_ row: FactTable.Row, in box: Box) {
        for cell in row.cells {
            var cellBox = Box(x: box.x + cell.x, y: box.y, width: cell.width, height: box.height)
            canvas.draw(cell.label, in: cellBox.cutTop(cell.label.height))
            canvas.draw(cell.value, in: cellBox)
        }
    }

    /// Returns the table in the largest font size that leaves room for the description, or two thirds of the box.
    private func table(in box: Box) -> FactTable {
        for size in [32.0, 28, 26, 24, 22, 20, 18, 17, 16, 15, 14, 13, 12] where size <= largest {
            let table = FactTable(facts, size: size, within: box, canvas: canvas)
            // Sizes at which two words do not fit on a line are used only if there is plenty of room.
            let room = box.height * (size * 7.5 <= box.width ? 1 : 0.5) - table.height
            if room >= box.height * 2 / 3 || hasRoom(room, width: box.width, size: size * 0.85) { return table }
        }
        return FactTable(facts, size: Self.minFactSize, within: box, canvas: canvas)
    }

    private func hasRoom(_ height: Double, width: Double, size: Double) -> Bool {
        guard height > 0, !description.isEmpty else { return height >= 0 }
        guard description.unicodeScalars.count <= Self.maxLetters(in: width * height, size: size) else { return false }
        let block = TextBlock(description, TextStyle(sizes: size...size), on: canvas)
        block.fit(width: width, height: height)
        return block.height <= height
    }

    /// In points: the minimum size that is readable on paper held in the hand.
    private static let minSize = 9.0
    private static let minFactSize = 11.0
    /// The height of one line.
    private static let minDescription = minSize * 1.3

    /// Computed for the narrowest letters, so that no text that fits has more letters.
    private static func maxLetters(in area: Double, size: Double) -> Int {
        Int(area / (size * size * 0.27))
    }
}

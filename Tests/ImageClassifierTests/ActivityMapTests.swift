import RandomSupport
import Testing

@testable import ImageClassifier

@Suite("Squares around the subject")
struct ActivityMapTests {
    private func map(_ columns: Int = 8, _ rows: Int = 8, _ cell: (Int, Int) -> Float) -> ActivityMap {
        ActivityMap(cells: (0..<rows).flatMap { y in (0..<columns).map { x in cell(x, y) } }, columns: columns)
    }

    private func square(_ left: Int, _ top: Int, _ side: Int) -> PixelSquare { .init(left: left, top: top, side: side) }

    @Test("The squares are those of the formula that was measured")
    func formula() {
        // Computed with numpy.
        let many = map { x, y in Float((3 * x * x + 5 * y * y + 7 * x * y) % 11) }
        #expect(many.square(width: 800, height: 600) == square(139, 0, 600))
        #expect(many.square(width: 600, height: 800) == square(0, 79, 600))
        #expect(many.square(width: 333, height: 777) == square(0, 202, 333))
        let few = map { x, y in (4...5).contains(x) && (1...2).contains(y) ? (x, y) == (4, 1) ? 0.5 : 1 : 0 }
        #expect(few.square(width: 800, height: 600) == square(363, 9, 300))
        #expect(few.square(width: 3000, height: 400) == square(1724, 0, 400))
    }

    @Test("A small subject in a corner gets half of the shorter side, inside the picture")
    func corners() {
        for (x, y) in [(0, 0), (7, 0), (0, 7), (7, 7)] {
            let found = map { ($0, $1) == (x, y) ? 3 : 0.5 }.square(width: 800, height: 600)
            #expect(found == square(x == 0 ? 0 : 500, y == 0 ? 0 : 300, 300))
        }
    }

    @Test("Without a subject it is the greatest square in the centre")
    func flat() {
        let flat = map { _, _ in 0.7 }
        #expect(flat.square(width: 800, height: 600) == square(100, 0, 600))
        #expect(flat.square(width: 601, height: 804) == square(0, 101, 601))
        #expect(flat.square(width: 1, height: 1) == square(0, 0, 1))
    }

    @Test("Cells can be wider than high, and activity below zero")
    func otherGrids() {
        let right = map(2, 1) { x, _ in x == 1 ? -1 : -3 }
        #expect(right.square(width: 400, height: 200) == square(250, 50, 100))
        #expect(map(1, 1) { _, _ in 5 }.square(width: 30, height: 20) == square(5, 0, 20))
    }

    @Test(
        "Squares lie in pictures of all shapes",
        arguments: [(1, 300), (300, 1), (1, 1), (2, 3), (3, 2), (32_767, 300), (1, 32_767), (4_000, 3_000)]
    )
    func shapes(width: Int, height: Int) {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<200 {
            let found = map { _, _ in .random(in: -1...1, using: &random) }.square(width: width, height: height)
            #expect(found.left >= 0 && found.top >= 0)
            #expect(found.left + found.side <= width && found.top + found.side <= height)
            #expect(found.side >= max(1, min(width, height) / 2))
        }
    }
}

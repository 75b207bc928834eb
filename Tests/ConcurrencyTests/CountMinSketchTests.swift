import Testing

@testable import Concurrency

@Suite("Count-min sketch")
struct CountMinSketchTests {
    @Test("A key has at least its number, also where it shares its cells with others")
    func atLeast() {
        var sketch = CountMinSketch(cells: 16)
        var numbers: [Int: Double] = [:]
        for step in 1...2_000 {
            let number = step * 7 % 50
            let key = number % 7 << 32 | number
            numbers[key] = max(sketch[key], numbers[key] ?? 0) + 1
            sketch[key] = numbers[key] ?? 0
            #expect(sketch[key] == numbers[key])
        }
        #expect(numbers.count == 50)
        for (key, number) in numbers { #expect(sketch[key] >= number) }
    }

    @Test("A number that becomes smaller leaves the larger numbers of other keys")
    func falls() {
        var sketch = CountMinSketch(cells: 4)
        // They share the cell of the first row.
        let (key, other) = (1 << 32 | 1, 2 << 32 | 1)
        sketch[other] = 5
        sketch[key] = 3
        sketch[key] = 0
        #expect(sketch[key] == 0)
        #expect(sketch[other] == 5)
    }
}

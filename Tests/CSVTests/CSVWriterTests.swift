import CSV
import Foundation
import RandomSupport
import Testing

@Suite("CSV writer")
struct CSVWriterTests {
    @Test(
        "Fields are quoted only if necessary",
        arguments: [
            (["a", "b c", ""], "a,b c,\r\n"),
            (["x,y", "x;y", "say \"z\"", "1\n2"], "\"x,y\",\"x;y\",\"say \"\"z\"\"\",\"1\n2\"\r\n"),
            ([""], "\"\"\r\n"), ([" a "], "\" a \"\r\n"),
        ]
    )
    func quoting(fields: [String], line: String) {
        #expect(written([fields]) == Data(line.utf8))
    }

    @Test(
        "Fields that look like formulas are escaped",
        arguments: [
            ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("+39 089 123", "'+39 089 123"), ("-2+3", "'-2+3"),
            ("'=1", "''=1"),
            ("-14.79", "-14.79"), ("40.68", "40.68"), ("'quoted'", "'quoted'"), ("l'Aquila", "l'Aquila"), ("-", "'-"),
        ]
    )
    func formulas(field: String, cell: String) {
        #expect(written([[field, "."]]) == Data("\(cell),.\r\n".utf8))
    }

    @Test("The escaping of formulas can be turned off")
    func withoutGuards() throws {
        #expect(written([["=1", "'=1"]], CSVWriter(guardsFormulas: false)) == Data("=1,'=1\r\n".utf8))
        var reader = try CSVReader(Data("a\n'=1".utf8), removesFormulaGuards: false)
        #expect(try reader.next()?.fields == ["'=1"])
    }

    @Test("Written files read back the same", arguments: CSVDelimiter.allCases)
    func roundTrip(delimiter: CSVDelimiter) throws {
        var random = SeededGenerator(seed: 11)
        let alphabet: [Character] = [
            "a", "7", "'", "=", "+", "-", "@", "\t", "\r", "\n", "\"", ",", ";", " ", "é", "\u{301}", "\u{FEFF}", "🐕",
            "\0",
        ]
        for _ in 0..<3_000 {
            let width = Int.random(in: 1...4, using: &random)
            let rows = (0..<3).map { _ in
                (0..<width).map { _ in
                    String(
                        (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
                            alphabet.randomElement(using: &random)
                        }
                    )
                }
            }
            // With one column only, the header contains no delimiter to detect.
            let names = (0..<width).map { "column\($0)" }
            let data = written([names] + rows, CSVWriter(delimiter: width == 1 ? .comma : delimiter))
            var reader = try CSVReader(data)
            for row in rows {
                let fields = try #require(try reader.next()).fields
                #expect(fields.map { Array($0.utf8) } == row.map { Array($0.utf8) })
            }
            #expect(try reader.next() == nil)
        }
    }

    private func written(_ rows: [[String]], _ writer: CSVWriter = CSVWriter()) -> Data {
        var bytes: [UInt8] = []
        for row in rows { writer.append(row, to: &bytes) }
        return Data(bytes)
    }
}

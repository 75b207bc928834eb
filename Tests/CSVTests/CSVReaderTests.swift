import CSV
import Foundation
import RandomSupport
import Testing

@Suite("CSV reader")
struct CSVReaderTests {
    @Test("Rows end with CR, LF or CRLF", arguments: ["\n", "\r\n", "\r"])
    func lineEnds(end: String) throws {
        #expect(try rows(["a,b", "1,2", "", "3,4"].joined(separator: end)) == [["1", "2"], ["3", "4"]])
    }

    @Test("Quoted fields can contain delimiters, quotes and line ends")
    func quotedFields() throws {
        #expect(try rows("a,b\n\"x, \"\"y\"\"\",\"1\r\n2\"\n\"\",\n") == [["x, \"y\"", "1\r\n2"], ["", ""]])
    }

    @Test("A quote inside an unquoted field is an ordinary character")
    func innerQuote() throws {
        #expect(try rows("a,b\n5\" nail, \"z\"\n") == [["5\" nail", " \"z\""]])
    }

    @Test(
        "The delimiter is detected in the header line",
        arguments: [
            ("a;b\n1,5;2", CSVDelimiter.semicolon), ("a\tb\n1,5\t2", .tab), ("\"a;;;\",b\n\"1,5\",2", .comma),
            ("\u{FEFF}a;b\n1,5;2", .semicolon), ("\n\na;b\n1,5;2", .semicolon),
        ]
    )
    func delimiter(text: String, delimiter: CSVDelimiter) throws {
        var reader = try CSVReader(Data(text.utf8))
        #expect(reader.delimiter == delimiter)
        #expect(try reader.next()?.fields == ["1,5", "2"])
    }

    @Test("Fields are found by column name")
    func columns() throws {
        var reader = try CSVReader(Data("\u{FEFF}name , breed\nRex,Boxer".utf8))
        let row = try #require(try reader.next())
        #expect(row["name"] == "Rex")
        #expect(row["breed"] == "Boxer")
        #expect(row["colour"] == nil)
    }

    @Test("Texts in Windows-1252 and UTF-16 are decoded, also when read byte by byte", arguments: [1, 3, 1 << 16])
    func encodings(chunk: Int) throws {
        let text = "città;nome\r\nForlì;“Birba” è 🐕\r\n"
        let plain = text.replacing("🐕", with: "€")
        let western = try #require(plain.data(using: .windowsCP1252))
        let little = Data([0xFF, 0xFE]) + (try #require(text.data(using: .utf16LittleEndian)))
        let big = Data([0xFE, 0xFF]) + (try #require(text.data(using: .utf16BigEndian)))
        for (data, name) in [(western, "“Birba” è €"), (little, "“Birba” è 🐕"), (big, "“Birba” è 🐕")] {
            var rest = data
            var reader = try CSVReader { _ in
                defer { rest = rest.dropFirst(chunk) }
                return Data(rest.prefix(chunk))
            }
            let row = try #require(try reader.next())
            #expect(row["città"] == "Forlì" && row["nome"] == name)
            #expect(try reader.next() == nil)
        }
    }

    @Test("A malformed row is reported with its line number, and the following rows are read")
    func badRow() throws {
        var bytes = Array("a,b\n\"1\n1\",2\n3\n4,\"5\"6\n7,8\n\n9,\"10\n".utf8)
        bytes += [0x81, UInt8(ascii: "\"")] + Array("\n11,12\n13,\"14".utf8)
        let (rows, errors) = try outcome(CSVReader(Data(bytes)))
        #expect(rows == [["1\n1", "2"], ["7", "8"], ["11", "12"]])
        #expect(
            errors == [
                CSVError(line: 4, message: "expected 2 fields, found 1"),
                CSVError(line: 5, message: "expected a delimiter behind a closing quote"),
                CSVError(line: 8, message: "field 2 is neither UTF-8 nor Windows-1252"),
                CSVError(line: 11, message: "a quoted field has no closing quote", endsFile: true),
            ]
        )
    }

    @Test("A delimiter between the bytes of a character does not join them")
    func delimiterInsideCharacter() throws {
        let (rows, _) = try outcome(CSVReader(Data("a,b\n".utf8 + [0xC3, UInt8(ascii: ","), 0xA9])))
        #expect(rows == [["Ã", "©"]])
    }

    @Test("A file without a header or with a repeated column is rejected")
    func header() {
        #expect(throws: CSVError(line: 1, message: "expected a header line")) { try CSVReader(Data("\n\n".utf8)) }
        #expect(throws: CSVError(line: 1, message: "the column \"a\" appears twice")) {
            try CSVReader(Data("a,a".utf8))
        }
    }

    @Test("The result does not depend on how the bytes are split into chunks")
    func chunks() throws {
        let text = "\u{FEFF}città;b\r\n\"é;\"\"\r\n\";2\r\n\r\n3;4"
        for size in 1...12 {
            var rest = Data(text.utf8)
            var reader = try CSVReader { _ in
                defer { rest = rest.dropFirst(size) }
                return rest.prefix(size)
            }
            #expect(try reader.next()?.fields == ["é;\"\r\n", "2"])
            #expect(try reader.next()?.fields == ["3", "4"])
            #expect(try reader.next() == nil)
        }
    }

    @Test("A row that is too long is rejected before it fills the memory")
    func endlessRow() throws {
        var given = 0
        var reader = try CSVReader { count in
            defer { given += count }
            return given == 0 ? Data("a,b\n1,\"".utf8) : Data(repeating: UInt8(ascii: "x"), count: count)
        }
        #expect(throws: CSVError.self) { try reader.next() }
        #expect(given < 3 * CSVReader.maximumRecordSize)
        #expect(try reader.next() == nil)
    }

    @Test("Random bytes are read alike, however they are divided into chunks")
    func randomBytes() throws {
        var random = SeededGenerator(seed: 7)
        let alphabet = Array("\",;\t\r\n'=a".utf8) + [0xEF, 0xBB, 0xBF, 0xC3, 0xA9, 0x00, 0xFF]
        // `Tests/Fuzzing` reads many more files.
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            let whole = try? outcome(CSVReader(Data(bytes)))
            var rest = Data(bytes)
            let divided = try? outcome(
                CSVReader { _ in
                    defer { rest = rest.dropFirst(3) }
                    return rest.prefix(3)
                }
            )
            #expect(whole?.rows == divided?.rows && whole?.errors.count == divided?.errors.count, "\(bytes)")
        }
    }

    private func rows(_ text: String) throws -> [[String]] {
        let (rows, errors) = try outcome(CSVReader(Data(text.utf8)))
        #expect(errors.isEmpty)
        return rows
    }

    private func outcome(_ source: CSVReader) throws -> (rows: [[String]], errors: [CSVError]) {
        var reader = source
        var rows: [[String]] = []
        var errors: [CSVError] = []
        while true {
            do {
                guard let row = try reader.next() else { return (rows, errors) }
                rows.append(row.fields)
            } catch let error as CSVError {
                errors.append(error)
            }
        }
    }
}

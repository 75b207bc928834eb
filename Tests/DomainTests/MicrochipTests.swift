import Domain
import Testing

@Suite("Microchip numbers")
struct MicrochipTests {
    @Test(
        "Separators between digits are ignored",
        arguments: [
            ("380260000000001", "380260000000001"), (" 380 260-000.000 001 ", "380260000000001"),
            ("*941000012345678*", "941000012345678"), ("001000000000001", "001000000000001"),
            ("998000000000001", "998000000000001"),
            ("\u{200B}380260012345678\u{FEFF}", "380260012345678"), ("３８０２６００１２３４５６７８", "380260012345678"),
            ("'380260012345678", "380260012345678"), ("’380260012345678", "380260012345678"),
            ("380260012345678.0", "380260012345678"), ("380260012345678,0", "380260012345678"),
            ("380\u{A0}260\u{202F}012 345 678", "380260012345678"),
            ("\u{202D}380260012345678\u{202C}", "380260012345678"),
            ("1234E56789", "1234E56789"), ("12345678E9", "12345678E9"),
            ("0a1b2c3d4e", "0A1B2C3D4E"), ("AF12 345 67B", "AF1234567B"), ("012*345*678", "012345678"),
        ]
    )
    func separators(text: String, number: String) throws {
        #expect(try Microchip(parsing: text).number == number)
    }

    @Test(
        "Other forms are rejected, and the error states the field and the expected form",
        arguments: [
            "", "38026000000000", "3802600000000012", "12345678", "A12345678", "38026000000000A", "012345678Z",
            "٣٨٠٢٦٠٠٠٠٠٠٠٠٠١", "unknown", "3802600123456780", "38026001234567.0",
        ]
    )
    func otherForms(text: String) {
        let message: ErrorMessage = "microchip: expected 9, 10 or 15 characters, like 380260000000000"
        #expect(throws: Microchip.ParsingError(message: message)) { try Microchip(parsing: text) }
    }

    @Test(
        "A number that a spreadsheet shortened is refused, and the error says what to do",
        arguments: ["3.80260012345678E+14", "3,8026E+14", "3.8026e14", "4E+14", " 3.80260012345678E+14 "]
    )
    func shortened(text: String) {
        let error = #expect(throws: Microchip.ParsingError.self) { try Microchip(parsing: text) }
        #expect(error?.message.text.contains("format its column as text") == true)
    }

    @Test("Numbers of test transponders are rejected", arguments: ["999000000000001", "000000000000001"])
    func testTransponders(text: String) {
        let error = #expect(throws: Microchip.ParsingError.self) { try Microchip(parsing: text) }
        #expect(error?.message.text.contains(text.prefix(3)) == true)
    }

    @Test("The prefix identifies the country or the manufacturer")
    func prefix() throws {
        #expect(try Microchip(parsing: "380260000000001").prefix == 380)
        #expect(try Microchip(parsing: "012345678").prefix == nil)
    }
}

import Domain
import Testing

@Suite("Telephone numbers")
struct TelephoneNumberTests {
    @Test(
        "One number is kept as it was written, without the words that announce it",
        arguments: [
            ("+39 333 1234567", "+39 333 1234567"), ("089/123456", "089/123456"),
            ("(+39) 089.12.34.56", "(+39) 089.12.34.56"),
            ("0039 089 123456", "0039 089 123456"), ("tel. 333 1234567", "333 1234567"),
            ("Cell: 333-1234567", "333-1234567"),
            ("333 1234567 (WhatsApp)", "333 1234567"), ("Tel./WhatsApp 333 1234567", "333 1234567"),
            ("３３３ １２３４５６７", "333 1234567"), ("\u{202A}+39\u{A0}333 1234567\u{202C}", "+39 333 1234567"),
            ("1500", "1500"), ("089 - 123456", "089 - 123456"),
        ]
    )
    func one(typed: String, number: String) throws {
        #expect(try TelephoneNumber(parsing: typed).text == number)
    }

    @Test(
        "Several numbers and other words are refused, and the error has what was found",
        arguments: [
            ("333 1234567 / 089 123456", "expected one number, found 333 1234567 and 089 123456"),
            ("3331234567/3287654321", "expected one number, found 3331234567 and 3287654321"),
            ("333 1234567 - 089 123456", "expected one number, found 333 1234567 and 089 123456"),
            ("333 1234567, 089 123456", "expected one number, found 333 1234567 and 089 123456"),
            ("333 1234567 oppure 089 123456", "expected one number, found 333 1234567 and 089 123456"),
            ("333 1234567 ore pasti", "expected only a number, found 333 1234567 and other words"),
            ("333 1234567 Maria", "expected only a number, found 333 1234567 and other words"),
            ("089 123456 ext. 5", "expected only a number, found 089 123456 and other words"),
            ("chiamare Maria", "expected a telephone number like +39 333 1234567"),
            ("333+1234567", "expected a telephone number like +39 333 1234567"),
            ("3331234567 3287654321", "expected a telephone number like +39 333 1234567"),
            ("123", "expected a telephone number like +39 333 1234567"),
        ]
    )
    func others(typed: String, message: String) {
        #expect(throws: TelephoneNumber.ParsingError(message: message)) { try TelephoneNumber(parsing: typed) }
    }

    @Test("The first of several numbers is the one that is called")
    func first() {
        #expect(TelephoneNumber.first(in: "+39 089 123; 333 1234567") == "+39 089 123")
        #expect(TelephoneNumber.first(in: "333 1234567 / 089 123456") == "333 1234567")
        #expect(TelephoneNumber.first(in: "ask for Anna") == nil)
    }
}

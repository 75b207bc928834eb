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
            ("1500", "1500"), ("089 - 123456", "089 - 123456"), ("089 123456 ext. 5", "089 123456 ext. 5"),
            ("Tel. 089 123456, int. 12", "089 123456 int. 12"), ("+1 201-555-0123x7", "+1 201-555-0123 x7"),
            ("+39089123456;ext=5", "+39089123456 ext. 5"),
        ]
    )
    func one(typed: String, number: String) throws {
        #expect(try TelephoneNumber(parsing: typed).text == number)
    }

    @Test(
        "A number that can be that of a mobile telephone has a chat in WhatsApp, with digits only",
        arguments: [
            ("333 1234567", "IT", "393331234567"), ("+39 333 1234567", nil, "393331234567"),
            ("0039 333 1234567", "IT", "393331234567"), ("078 123 45 67", "CH", "41781234567"),
            // In North America, no range tells whether a telephone is mobile.
            ("(201) 555-0123", "US", "12015550123"), ("089 123456", "IT", nil), ("+39 089 123456", "IT", nil),
            ("800 123456", "IT", nil), ("333 1234567", nil, nil), ("1515", "IT", nil),
            ("333 1234567 int. 5", "IT", nil),
            ("+999 333 1234567", "IT", nil),
        ] as [(String, String?, String?)]
    )
    func whatsApp(text: String, country: String?, digits: String?) throws {
        let address = digits.map { "https://wa.me/\($0)" }
        #expect(try TelephoneNumber(parsing: text).whatsApp(in: country) == address)
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
            ("089 123456 int. 5 Maria", "expected only a number, found 089 123456 and other words"),
            ("int. 5", "expected a telephone number like +39 333 1234567"),
            ("chiamare Maria", "expected a telephone number like +39 333 1234567"),
            ("333+1234567", "expected a telephone number like +39 333 1234567"),
            ("3331234567 3287654321", "expected a telephone number like +39 333 1234567"),
            ("123", "expected a telephone number like +39 333 1234567"),
        ]
    )
    func others(typed: String, message: String) {
        #expect(throws: TelephoneNumber.ParsingError(message: "\(message)")) { try TelephoneNumber(parsing: typed) }
    }

    @Test("The first of several numbers is the one that is called")
    func first() {
        #expect(TelephoneNumber.first(in: "+39 089 123; 333 1234567")?.text == "+39 089 123")
        #expect(TelephoneNumber.first(in: "333 1234567 / 089 123456")?.text == "333 1234567")
        #expect(TelephoneNumber.first(in: "089 123456 int. 5")?.text == "089 123456 int. 5")
        #expect(TelephoneNumber.first(in: "ask for Anna") == nil)
    }
}

@Suite("Telephone numbers in countries")
struct TelephoneNumbersInCountriesTests {
    /// Examples of libphonenumber, and numbers of vets and authorities.
    @Test(
        "A number is written nationally in its country, internationally elsewhere, and linked with its country code",
        arguments: [
            ("IT", "312 345 6789", "312 345 6789", "+39 312 345 6789", "+393123456789"),
            ("IT", "0212345678", "02 1234 5678", "+39 02 1234 5678", "+390212345678"),
            ("IT", "089/123456", "089 123456", "+39 089 123456", "+39089123456"),
            ("IT", "0039 089 123456", "089 123456", "+39 089 123456", "+39089123456"),
            ("IT", "800 123456", "800 123 456", "+39 800 123 456", "+39800123456"),
            ("SM", "0549 886377", "0549 886377", "+378 0549 886377", "+3780549886377"),
            ("SM", "66661212", "66 66 12 12", "+378 66 66 12 12", "+37866661212"),
            ("CH", "078 123 45 67", "078 123 45 67", "+41 78 123 45 67", "+41781234567"),
            ("FR", "06 12 34 56 78", "06 12 34 56 78", "+33 6 12 34 56 78", "+33612345678"),
            ("DE", "030 99285501", "030 99285501", "+49 30 99285501", "+493099285501"),
            ("DE", "0049304127357", "030 4127357", "+49 30 4127357", "+49304127357"),
            ("GB", "07400 123456", "07400 123456", "+44 7400 123456", "+447400123456"),
            ("US", "(201) 555-0123", "(201) 555-0123", "+1 201-555-0123", "+12015550123"),
        ]
    )
    func countries(country: String, typed: String, national: String, international: String, e164: String) throws {
        let number = try TelephoneNumber(parsing: typed)
        try number.expectPossible(in: country)
        #expect(number.text == typed)
        #expect(number.e164(in: country) == e164)
        #expect(number.formatted(in: country) == national)
        #expect(number.link(in: country) == "tel:\(e164)")
        let written = try TelephoneNumber(parsing: international)
        for reader in [country, "AR", nil] {
            #expect(written.e164(in: reader) == e164)
            #expect(written.formatted(in: reader) == (reader == country ? national : international))
        }
    }

    @Test("Countries with a common country code read each other's national form")
    func commonCode() throws {
        #expect(try TelephoneNumber(parsing: "+39 06 69812345").formatted(in: "IT") == "06 6981 2345")
        #expect(try TelephoneNumber(parsing: "+1 506-234-5678").formatted(in: "US") == "(506) 234-5678")
    }

    @Test("Without a country, a national number stays as it was typed, and is linked so")
    func unknownCountry() throws {
        let number = try TelephoneNumber(parsing: "333-1234567")
        try number.expectPossible(in: nil)
        #expect(number.e164(in: nil) == nil)
        #expect(number.formatted(in: nil) == "333-1234567")
        #expect(number.link(in: nil) == "tel:3331234567")
    }

    @Test("In a country without telephone numbers of its own, a national number is not refused")
    func noNumbers() throws {
        let number = try TelephoneNumber(parsing: "333 1234567")
        try number.expectPossible(in: "AQ")
        #expect(number.e164(in: "AQ") == nil && number.link(in: "AQ") == "tel:3331234567")
    }

    @Test("An extension is shown and dialled")
    func extensions() throws {
        let number = try TelephoneNumber(parsing: "089/123456 int. 5")
        #expect(number.e164(in: "IT") == "+39089123456")
        #expect(number.formatted(in: "IT") == "089 123456 int. 5")
        #expect(try TelephoneNumber(parsing: "+39 089/123456 int. 5").formatted(in: "CH") == "+39 089 123456 int. 5")
        #expect(number.link(in: "IT") == "tel:+39089123456;ext=5")
        #expect(number.link(in: nil) == "tel:089123456;ext=5")
    }

    @Test("Short numbers of the country are numbers without a country code")
    func short() throws {
        let number = try TelephoneNumber(parsing: "1515")
        try number.expectPossible(in: "IT")
        #expect(number.e164(in: "IT") == nil)
        #expect(number.formatted(in: "IT") == "1515")
        #expect(number.link(in: "IT") == "tel:1515")
    }

    @Test(
        "A number of a range that is not in use is possible, stays as it was typed, and has only the country code that it says"
    )
    func unused() throws {
        for (text, country, e164) in [
            ("0333-1234567", "IT", nil), ("089/123456", "CH", nil), ("+39 0333-1234567", "CH", "+3903331234567"),
        ] {
            let number = try TelephoneNumber(parsing: text)
            try number.expectPossible(in: country)
            #expect(number.e164(in: country) == e164)
            #expect(number.formatted(in: country) == text)
        }
    }

    @Test(
        "Numbers that a country does not have are refused with an example of one of its numbers",
        arguments: [
            ("IT", "12345", "+39 312 345 6789: 12345 is too short"),
            ("IT", "333 1234567890", "+39 312 345 6789: 333 1234567890 is too long"),
            ("IT", "0039 08", "+39 312 345 6789: 0039 08 is too short"),
            ("CH", "079 123 45", "+41 78 123 45 67: 079 123 45 is too short"),
            ("FR", "06 12 34 56 78 9", "+33 6 12 34 56 78: 06 12 34 56 78 9 is too long"),
            ("US", "555-0123", "+1 201-555-0123: 555-0123 lacks the area code"),
            ("CH", "+39 12345", "+39 312 345 6789: +39 12345 is too short"),
            (nil, "+33 6 12 34", "+33 6 12 34 56 78: +33 6 12 34 is too short"),
            ("IT", "+999 123456", "+39 312 345 6789: no country has the code of +999 123456"),
        ] as [(String?, String, String)]
    )
    func impossible(country: String?, typed: String, problem: String) throws {
        let number = try TelephoneNumber(parsing: typed)
        let error = #expect(throws: TelephoneNumber.ParsingError.self) { try number.expectPossible(in: country) }
        #expect(error?.message.text == "expected a telephone number like \(problem)")
    }
}

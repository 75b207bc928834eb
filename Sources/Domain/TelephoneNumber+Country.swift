import CPhoneNumber

// libphonenumber tells what a number means in a country. Countries are ISO 3166-1 alpha-2 codes; nil if the country
// is unknown. They do not matter for numbers that begin with "+".

extension TelephoneNumber {
    /// The number with its country code, such as "+39089123456" (ITU-T E.164); nil if it has none.
    package func e164(in country: @autoclosure () -> String?) -> String? { read(in: country()).e164 }

    /// The number in the usual form of its country, which is national in a country with the same country code and international
    /// elsewhere. As it was written if libphonenumber does not know its range.
    package func formatted(in country: String?) -> String {
        guard let e164 = e164(in: country) else { return text }
        let formatted = Self.text { phone_number_format(e164, country ?? "", $0) }
        return formatted.isEmpty ? text : formatted + text.dropFirst(number.count)
    }

    /// The address that calls the number (RFC 3966), from every country if that of the number is known.
    package func link(in country: String?) -> String {
        let digits = e164(in: country) ?? number.filter { $0.isNumber || $0 == "+" }
        return "tel:\(digits)" + (`extension`.map { ";ext=\($0)" } ?? "")
    }

    /// The address of a chat with the number in WhatsApp; nil unless it can be that of a mobile telephone.
    package func whatsApp(in country: String?) -> String? {
        guard `extension` == nil, let e164 = e164(in: country), phone_number_is_mobile(e164) else { return nil }
        return "https://wa.me/\(e164.dropFirst())"
    }

    /// Throws if the country has no numbers of this length. Numbers of ranges that libphonenumber does not know are possible,
    /// because new ranges appear.
    package func expectPossible(in country: String?) throws(ParsingError) {
        switch read(in: country).status {
        case phone_number_possible, phone_number_short: return
        case phone_number_local: throw mistake("\(number) lacks the area code", in: country)
        case phone_number_too_short: throw mistake("\(number) is too short", in: country)
        case phone_number_too_long: throw mistake("\(number) is too long", in: country)
        default: if isInternational { throw mistake("no country has the code of \(number)", in: country) }
        }
    }

    private var isInternational: Bool { number.hasPrefix("+") || number.hasPrefix("(+") }

    private func read(in country: @autoclosure () -> String?) -> (status: phone_number_status, e164: String?) {
        var status = phone_number_unreadable
        let country = isInternational ? nil : country()
        let e164 = Self.text { status = phone_number_read(number, country ?? "", $0) }
        return (status, e164.isEmpty ? nil : e164)
    }

    private func mistake(_ problem: ErrorMessage, in country: String?) -> ParsingError {
        let example = example(in: country)
        return ParsingError(
            message: "expected a telephone number like \(example ?? Self.anyExample): \(problem)",
            example: example
        )
    }

    /// An example in the form with the country code.
    private func example(in country: String?) -> String? { Self.example(number, in: country ?? "") }

    private static func example(_ number: String, in country: String) -> String? {
        let e164 = text { phone_number_example(number, country, $0) }
        let formatted = text { phone_number_format(e164, "", $0) }
        return formatted.isEmpty ? nil : formatted
    }

    /// An example of a country in the form with the country code; nil if libphonenumber knows no numbers of the country.
    static func example(in country: String) -> String? { example("", in: country) }

    private static func text(_ write: (UnsafeMutablePointer<phone_number_text>) -> Void) -> String {
        var text = phone_number_text()
        write(&text)
        return withUnsafeBytes(of: &text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension TelephoneNumber {
    /// That of a stored text; nil if there is none or if it has no country code.
    package static func e164(of text: String?, in country: @autoclosure () -> String?) -> String? {
        text.flatMap(first)?.e164(in: country())
    }

    /// Throws if the number in a field is not possible in a country.
    package static func expectPossible(_ text: String?, in country: String?, field: String) throws(ServiceError) {
        guard let number = text.flatMap(first) else { return }
        do { try number.expectPossible(in: country) } catch { throw error.serviceError(of: field) }
    }
}

extension TelephoneNumber.ParsingError {
    func serviceError(of field: String) -> ServiceError {
        ServiceError(.invalid, "\(field): \(message)", field: field, example: example)
    }
}

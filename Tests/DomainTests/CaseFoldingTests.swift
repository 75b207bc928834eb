import Domain
import Testing

@Suite("Case folding and accent removal")
struct CaseFoldingTests {
    @Test(
        "Texts that differ only in case fold to the same text",
        arguments: [
            ("LUNA", "luna"), ("Straße", "STRASSE"), ("STRAẞE", "strasse"), ("ΟΔΟΣ", "οδος"), ("οδοσ", "οδος"),
            ("ÀÈ", "àè"),
            ("ǅ", "ǆ"), ("ﬃ", "FFI"), ("K", "k"), ("Ꭰ", "ꭰ"), ("И", "и"), ("İ", "i\u{307}"),
        ]
    )
    func cases(one: String, other: String) {
        #expect(Array(one.caseFolded.unicodeScalars) == Array(other.caseFolded.unicodeScalars))
    }

    @Test("Different texts stay different", arguments: [("a", "à"), ("ı", "i"), ("ø", "o"), ("1", "!")])
    func distinct(one: String, other: String) {
        #expect(one.caseFolded != other.caseFolded)
    }

    @Test(
        "Accents are removed and base letters are kept",
        arguments: [
            ("Lùna", "Luna"), ("u\u{300}", "u"), ("Zoë Ångström", "Zoe Angstrom"), ("ø đ ß", "ø đ ß"), ("한글", "한글"),
            ("が", "が"), ("ά", "α"), ("plain", "plain"), ("", ""),
        ]
    )
    func accents(text: String, plain: String) {
        #expect(Array(text.withoutAccents.unicodeScalars) == Array(plain.unicodeScalars))
    }
}

import Domain
import Testing

@Suite("Codes of listings")
struct ListingCodeTests {
    @Test("The alphabet has no vowels, and no letters and digits that look or sound alike")
    func alphabet() {
        #expect(Set(ListingCode.alphabet).isDisjoint(with: "AEIOUY01L"))
        #expect(ListingCode.alphabet.count == 27 && Set(ListingCode.alphabet).count == 27)
        #expect(ListingCode.alphabet == ListingCode.alphabet.uppercased())
    }

    @Test("Random codes have seven letters of the alphabet, use all of it, and differ")
    func random() {
        let codes = (0..<2000).map { _ in ListingCode.random().text }
        #expect(Set(codes).count == codes.count)
        #expect(codes.allSatisfy { $0.count == 7 && ListingCode($0) != nil })
        for place in 0..<7 {
            #expect(Set(codes.map { Array($0)[place] }) == Set(ListingCode.alphabet))
        }
    }

    @Test(
        "A code is read in any case and with spaces and hyphens",
        arguments: [
            "7KF3M2Q", "7kf3m2q", "7KF-3M2Q", " 7kf 3m2q ", "7-K-F-3-M-2-Q", "7KF\u{2013}3M2Q", "7KF\u{A0}3M2Q",
            "7kf\t3m2q",
            "7kf\u{2011}3m2q", "7kf\u{2212}3m2q",
        ]
    )
    func typed(text: String) throws {
        let code = try #require(ListingCode(typed: text))
        #expect(code.text == "7KF3M2Q" && code.grouped == "7KF-3M2Q" && code.path == "/l/7KF3M2Q")
        #expect(ListingCode(code.text) == code)
    }

    @Test(
        "Other texts are no codes",
        arguments: [
            "", "7KF3M2", "7KF3M2QQ", "7KF3M2O", "7KF3M20", "7KF3M21", "AKF3M2Q", "7KF3M2Ç", "７ＫＦ３Ｍ２Ｑ", "7KF.3M2Q",
            "labrador", "cane nero", "-------", "ß\u{FB00}KF3", String(repeating: "7KF3M2Q ", count: 1000),
            "7KF3M2Q\u{0}", "7KF3M2\u{301}Q",
        ]
    )
    func others(text: String) { #expect(ListingCode(typed: text) == nil && ListingCode(text) == nil) }

    @Test("A stored code is exactly one", arguments: ["7kf3m2q", "7KF-3M2Q", " 7KF3M2Q"])
    func stored(text: String) { #expect(ListingCode(text) == nil) }
}

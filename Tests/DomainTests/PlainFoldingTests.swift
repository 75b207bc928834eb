import Domain
import Testing

@Suite struct PlainFoldingTests {
    @Test func `ASCII folds as it does beside other letters`() {
        for code in UInt8(0)..<128 {
            let text = "Az\(Character(UnicodeScalar(code)))9 \(Character(UnicodeScalar(code)))"
            #expect((text + "-é").folded == text.folded + " e", "\(code)")
        }
        #expect("".folded.isEmpty && " - ".folded.isEmpty)
        #expect("--S. GIOVANNI (sa)".folded == "s giovanni sa")
    }
}

import Domain
import Testing

@Suite("Plain folding")
struct PlainFoldingTests {
    @Test("ASCII text folds the same alone and beside other letters")
    func asciiPath() {
        for code in UInt8(0)..<128 {
            let text = "Az\(Character(UnicodeScalar(code)))9 \(Character(UnicodeScalar(code)))"
            #expect((text + "-é").folded == text.folded + " e", "\(code)")
        }
        #expect("".folded.isEmpty && " - ".folded.isEmpty)
        #expect("--S. GIOVANNI (sa)".folded == "s giovanni sa")
    }
}

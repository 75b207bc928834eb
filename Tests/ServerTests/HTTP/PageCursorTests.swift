import Foundation
import HTTP
import Testing

@Suite("Cursors of pages")
struct PageCursorTests {
    @Test("A token begins with the text of the fields in base64url without padding", arguments: 0..<40)
    func token(length: Int) throws {
        let letters = "å?>~\u{7F}ÿ漢€zÄ\u{0}bcdefghijklmnopqrstuvwxyz0123456789"
        let fields = ["distance", String(letters.prefix(length)), "-1"]
        let base64 = Data(fields.joined(separator: "|").utf8).base64EncodedString()
        let token = PageCursor(fields).token
        let text = String(token.prefix { $0 != "." })
        #expect(text == base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
        #expect(PageCursor(token: token)?.fields == fields)
        #expect(PageCursor.isSigned(token))
    }
}

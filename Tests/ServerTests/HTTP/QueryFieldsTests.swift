import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import RandomSupport
import Testing

@Suite("Query fields")
struct QueryFieldsTests {
    private static func fields(_ query: String) -> [[String]] {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/?\(query)")
        return Request(head: head, body: RequestBody(buffer: ByteBuffer())).queryFields.map { [$0.name, $0.value] }
    }

    @Test("Fields are decoded as browsers encode forms")
    func fields() {
        #expect(Self.fields("q=red+collar&place=Forl%C3%AC") == [["q", "red collar"], ["place", "Forlì"]])
        #expect(Self.fields("a&b=&=c&&d=1=2") == [["a", ""], ["b", ""], ["", "c"], ["d", "1=2"]])
        #expect(Self.fields("a%3D=%26+%2B&A=%c3%a8") == [["a=", "& +"], ["A", "è"]])
        #expect(Self.fields("a=%&b=%zz&c=%e8&d=1+%") == [["a", "%"], ["b", "%zz"], ["c", "%e8"], ["d", "1 %"]])
        #expect(Self.fields("").isEmpty)
    }

    @Test("Random queries are decoded as Foundation decodes them")
    func random() {
        var random = SeededGenerator(seed: 9)
        let pieces = ["%", "%2", "%20", "%C3", "%A8", "è", "a", "+", "%e2%82%ac", "€", "%00", "0", "F"]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
            }
            .joined()
            let spaced = text.replacing("+", with: " ")
            #expect(Self.fields("x=\(text)") == [["x", spaced.removingPercentEncoding ?? spaced]])
        }
    }
}

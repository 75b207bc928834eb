import Domain
import Forms
import Testing

@Suite("URL-encoded forms")
struct URLEncodedFormTests {
    private func read(_ text: String) throws -> FormFields { try FormFields(urlEncoded: text.utf8) }

    @Test("Plus signs, percent signs and names without values are decoded as browsers encode them")
    func decoding() throws {
        let form = try read("name=Lilla+B%c3%A9%2B&flag&&empty=&a%3Db=c=d&=x")
        #expect(form.names == ["name", "flag", "empty", "a=b", ""])
        #expect(form.first("name") == "Lilla Bé+")
        #expect(form.first("flag") == "" && form.first("empty") == "")
        #expect(form.first("a=b") == "c=d")
        #expect(form.first("other") == nil)
        #expect(try read("").isEmpty)
    }

    @Test("Repeated names keep their order")
    func repeatedNames() throws {
        let form = try read("a=2&b=x&a=1&a=2")
        #expect(form.all("a") == ["2", "1", "2"])
        #expect(form.names == ["a", "b"])
    }

    @Test(
        "Values that are not percent-encoded UTF-8 are rejected with the field's name",
        arguments: ["a=%", "a=%4", "a=%4g", "a=%C3", "a=%C3%28", "a=%ED%A0%80"]
    )
    func invalidEncoding(text: String) {
        #expect(throws: ServiceError.invalid("a", "expected percent-encoded UTF-8")) { try read(text) }
    }

    @Test("A name that cannot be decoded is rejected")
    func invalidName() {
        #expect(throws: ServiceError.invalid("body", "a field's name is not percent-encoded UTF-8")) {
            try read("%FF=a")
        }
    }

    @Test("A form has at most 64 fields")
    func fieldLimit() throws {
        let most = Array(repeating: "a=1", count: 64).joined(separator: "&")
        #expect(try read(most).all("a").count == 64)
        let error = #expect(throws: ServiceError.self) { try read(most + "&b=1") }
        #expect(error?.code == .tooLarge)
    }

    @Test("A body of 64 KiB is accepted and a larger one is rejected")
    func sizeLimit() async throws {
        let most = String(repeating: "a", count: FormFields.maxURLEncodedSize)
        #expect(try read(most).names == [most])
        let error = #expect(throws: ServiceError.self) { try read(most + "a") }
        #expect(error?.code == .tooLarge)
        let pieces = Array(most.utf8).pieces(of: 1000)
        #expect(try await FormFields(urlEncoded: body(pieces)).names == [most])
        let late = await #expect(throws: ServiceError.self) {
            try await FormFields(urlEncoded: body(pieces + pieces.prefix(1)))
        }
        #expect(late == error)
    }
}

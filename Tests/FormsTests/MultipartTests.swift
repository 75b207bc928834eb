import Domain
import Forms
import NIOCore
import RandomSupport
import Testing

@Suite("Multipart forms")
struct MultipartTests {
    /// The output of curl 7.88.1 for `-F status=lost -F 'note=è timido<newline>molto' -F 'photo=@"a \"b\" 100%;é.jpg"'
    /// -F 'photo=@empty.jpg;filename=' -F 'na"me=1'`. The photo contains the beginning of a boundary.
    private static let curl = lines(
        "--------------------------02461fdc7d3dc0d1",
        #"Content-Disposition: form-data; name="status""#,
        "",
        "lost",
        "--------------------------02461fdc7d3dc0d1",
        #"Content-Disposition: form-data; name="note""#,
        "",
        "è timido\nmolto",
        "--------------------------02461fdc7d3dc0d1",
        #"Content-Disposition: form-data; name="photo"; filename="a %22b%22 100%;é.jpg""#,
        "Content-Type: image/jpeg",
        "",
        "ab\r\n--------------------------02461fdc7d3dc0d\r",
        "--------------------------02461fdc7d3dc0d1",
        #"Content-Disposition: form-data; name="photo"; filename="""#,
        "Content-Type: image/jpeg",
        "",
        "",
        "--------------------------02461fdc7d3dc0d1",
        #"Content-Disposition: form-data; name="na%22me""#,
        "",
        "1",
        "--------------------------02461fdc7d3dc0d1--"
    )
    private static let curlType = "multipart/form-data; boundary=------------------------02461fdc7d3dc0d1"

    @Test("A form that curl sent is read")
    func curl() async throws {
        let form = try await ReadForm(Self.curl, contentType: Self.curlType)
        #expect(form.fields.names == ["status", "note", "na\"me"])
        #expect(form.fields.first("status") == "lost")
        #expect(form.fields.first("note") == "è timido\nmolto")
        #expect(form.fields.first("na\"me") == "1")
        let photo = ReadForm.File(
            name: "photo",
            filename: "a \"b\" 100%;é.jpg",
            contentType: "image/jpeg",
            bytes: Array("ab\r\n--------------------------02461fdc7d3dc0d\r".utf8)
        )
        #expect(form.files == [photo])
    }

    @Test("The result does not depend on how the body is split")
    func pieces() async throws {
        let bytes = Array(Self.curl.utf8)
        let whole = try await ReadForm(Self.curl, contentType: Self.curlType)
        for position in bytes.indices {
            let pieces = [ByteBuffer(bytes: bytes[..<position]), ByteBuffer(bytes: bytes[position...])]
            #expect(try await ReadForm(pieces, contentType: Self.curlType) == whole, "at \(position)")
        }
        for size in 1...64 {
            #expect(try await ReadForm(bytes.pieces(of: size), contentType: Self.curlType) == whole, "by \(size)")
        }
    }

    @Test("A body that is truncated at any point is rejected")
    func truncation() async throws {
        let bytes = Array(Self.curl.utf8)
        // The final line end is not part of the form.
        for length in 0..<bytes.count - 2 {
            await #expect(throws: ServiceError.self, "at \(length)") {
                try await ReadForm([ByteBuffer(bytes: bytes[..<length])], contentType: Self.curlType)
            }
        }
    }

    @Test("Text before the first boundary and after the last one is ignored")
    func preambleAndEpilogue() async throws {
        let part = #"Content-Disposition: form-data; name="a""#
        let plain = try await ReadForm(lines("--X-y", part, "", "1", "--X-y--"))
        #expect(plain.fields.first("a") == "1")
        let wrapped = lines("Hello --X-y", "-X-y", "--X-y \t", part, "", "1", "--X-y--", "--X-y", "bye")
        #expect(try await ReadForm(wrapped) == plain)
        #expect(try await ReadForm("--X-y--") == ReadForm(lines("--X-y--")))
    }

    @Test("Names are decoded as browsers encode them")
    func names() async throws {
        let cases = [
            (#"name="a%22b%0D%0Ac%25d""#, "a\"b\r\nc%25d"), (#"name=plain"#, "plain"), (#"NAME = "x;y=z" ; "#, "x;y=z"),
            (#"name="C:\dogs\""#, #"C:\dogs\"#), (#"name="""#, ""),
        ]
        for (parameter, name) in cases {
            let form = try await ReadForm(
                lines("--X-y", "content-disposition:Form-Data;\(parameter)", "", "1", "--X-y--")
            )
            #expect(form.fields.names == [name], "\(parameter)")
        }
    }

    @Test("An empty file input is not a file, and an empty file is one")
    func emptyFiles() async throws {
        let form = try await ReadForm(
            lines(
                "--X-y",
                #"Content-Disposition: form-data; name="a"; filename="""#,
                "",
                "",
                "--X-y",
                #"Content-Disposition: form-data; name="b"; filename="""#,
                "",
                "bytes",
                "--X-y",
                #"Content-Disposition: form-data; name="c"; filename="c.jpg""#,
                "",
                "",
                "--X-y--"
            )
        )
        #expect(form.files.map(\.name) == ["b", "c"])
        #expect(form.files.map(\.bytes) == [Array("bytes".utf8), []])
    }

    @Test(
        "Malformed part headers are rejected",
        arguments: [
            "Content-Disposition: form-data", "Content-Disposition: attachment; name=\"a\"", "Content-Type: text/plain",
            "Content-Disposition: form-data; name=\"a", "Content-Disposition: form-data; name=\"a\"b",
            "Content-Disposition: form-data; name=\"a\"; name=\"b\"", "Content-Disposition: form-data; name",
            "Content-Disposition: form-data; name=a b", "Content-Disposition : form-data; name=\"a\"",
            "Content-Disposition: form-data;\r\n name=\"a\"",
            "Content-Disposition: form-data; name=\"a\"\r\ncontent-disposition: form-data; name=\"a\"",
            "Content-Disposition: form-data; name=\"a\"\r\nContent-Type",
            "Content-Disposition: form-data; name=\"a\u{0}\"",
            "Content-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: base64",
            "Content-Disposition: form-data; name=\"a\"\nX: y", "Content-Disposition: form-data; name=\"a\"\rX: y", "",
        ]
    )
    func malformedHeaders(header: String) async throws {
        await #expect(throws: ServiceError.self) {
            try await ReadForm(lines("--X-y", header, "", "1", "--X-y--"))
        }
    }

    @Test("Line ends without a carriage return are rejected")
    func lineFeeds() async throws {
        let body = lines("--X-y", #"Content-Disposition: form-data; name="a""#, "", "1", "--X-y--")
        await #expect(throws: ServiceError.self) { try await ReadForm(body.replacing("\r\n", with: "\n")) }
        await #expect(throws: ServiceError.invalid("body", "expected lines that end in CR and LF")) {
            try await ReadForm("--X-y\n" + body.dropFirst(6))
        }
    }

    @Test("A line that starts with the boundary but continues is rejected")
    func boundaryPrefix() async throws {
        let part = #"Content-Disposition: form-data; name="a"; filename="f""#
        await #expect(throws: ServiceError.invalid("body", "a line begins like the boundary and goes on otherwise")) {
            try await ReadForm(lines("--X-y", part, "", "1", "--X-yz", "2", "--X-y--"))
        }
    }

    @Test("Text that is not UTF-8 is rejected with the field's name, and file bytes are not checked")
    func invalidUTF8()
        async throws
    {
        let bytes: [UInt8] = [0xC3, 0x28, 0x00, 0x0D, 0x0D, 0x0A]
        func pieces(_ parameters: String) -> [ByteBuffer] {
            let head = "--X-y\r\nContent-Disposition: form-data; \(parameters)\r\n\r\n"
            return [ByteBuffer(bytes: Array(head.utf8) + bytes + Array("\r\n--X-y--".utf8))]
        }
        await #expect(throws: ServiceError.invalid("a", "expected UTF-8")) {
            try await ReadForm(pieces("name=a"))
        }
        #expect(try await ReadForm(pieces("name=a; filename=b")).files.first?.bytes == bytes)
    }

    @Test(
        "Content types without a valid boundary are rejected",
        arguments: [
            ("text/plain", ServiceError.Code.unsupportedMediaType),
            ("multipart/mixed; boundary=a", .unsupportedMediaType),
            ("", .unsupportedMediaType), ("multipart/form-data", .invalid),
            ("multipart/form-data; boundary=\"\"", .invalid),
            ("multipart/form-data; boundary=\"a \"", .invalid), ("multipart/form-data; boundary=\"a\r\nb\"", .invalid),
            ("multipart/form-data; boundary=é", .invalid), ("multipart/form-data; boundary=a*b", .invalid),
            ("multipart/form-data; boundary=\(String(repeating: "a", count: 71))", .invalid),
        ]
    )
    func contentTypes(type: String, code: ServiceError.Code) async throws {
        let error = await #expect(throws: ServiceError.self) { try await ReadForm("", contentType: type) }
        #expect(error?.code == code)
    }

    @Test(
        "All valid boundaries are accepted",
        arguments: [
            "Multipart/Form-Data;boundary=\"a b\"",
            "multipart/form-data; charset=utf-8; boundary=a b".replacing("a b", with: "ab"),
            "multipart/form-data; boundary=\(String(repeating: "a", count: 70))",
            "multipart/form-data; boundary='()+_,-./:=?",
        ]
    )
    func boundaries(type: String) async throws {
        let boundary = type.replacing(/.*boundary=/, with: "").replacing("\"", with: "")
        let body = "--\(boundary)\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--\(boundary)--"
        #expect(try await ReadForm(body, contentType: type).fields.first("a") == "1")
    }

    @Test("Each limit can be reached and not exceeded")
    func limits() async throws {
        func body(fields: Int = 1, text: Int = 1, header: Int = 0, preamble: Int = 0) -> String {
            let header = "X: \(String(repeating: "x", count: header))\r\nContent-Disposition: form-data; name=a"
            let part = "--X-y\r\n\(header)\r\n\r\n\(String(repeating: "x", count: text))\r\n"
            return lines(String(repeating: "x", count: preamble)) + String(repeating: part, count: fields) + "--X-y--"
        }
        let limits = FormLimits(parts: 4, header: 200, text: 100)
        for fine in [body(fields: 4), body(fields: 4, text: 25), body(header: 150), body(preamble: 198)] {
            #expect(try await ReadForm(fine, limits: limits).fields.isEmpty == false)
        }
        for large in [body(fields: 5), body(fields: 4, text: 26), body(header: 160), body(preamble: 201)] {
            let error = await #expect(throws: ServiceError.self) { try await ReadForm(large, limits: limits) }
            #expect(error?.code == .tooLarge)
        }
        let (file, end) = ("--X-y\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\n", "\r\n--X-y--")
        let form = try await ReadForm(file + String(repeating: "\r\n--X", count: 10_000) + end, limits: limits)
        #expect(form.files.first?.bytes.count == 50_000)
    }

    @Test("The unread rest of a file is skipped and cannot be read afterwards")
    func unreadFile() async throws {
        let file = #"Content-Disposition: form-data; name="f"; filename="f""#
        let field = #"Content-Disposition: form-data; name="a""#
        let text = lines("--X-y", file, "", "12345", "--X-y", file, "", "67", "--X-y", field, "", "8", "--X-y--")
        let reader = try MultipartReader(body(Array(text.utf8).pieces(of: 3)), contentType: ReadForm.contentType)
        guard case .file(let first) = try await reader.next() else { throw ServiceError(.notFound, "no file") }
        let beginning = try await first.first { _ in true }
        #expect(beginning.map { String(buffer: $0).hasPrefix("1") } == true)
        guard case .file(let second) = try await reader.next() else { throw ServiceError(.notFound, "no file") }
        #expect(try await first.first { _ in true } == nil)
        #expect(try await second.reduce(0) { $0 + $1.readableBytes } == 2)
        guard case .field("a", "8") = try await reader.next() else { throw ServiceError(.notFound, "no field") }
        #expect(try await reader.next() == nil)
        #expect(try await reader.next() == nil)
    }

    @Test("An error of the body itself is passed on")
    func bodyError() async throws {
        struct Broken: Error {}
        let pieces = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
            continuation.yield(ByteBuffer(string: "--X-y\r\n"))
            continuation.finish(throwing: Broken())
        }
        let reader = try MultipartReader(pieces, contentType: ReadForm.contentType)
        await #expect(throws: Broken.self) { try await reader.next() }
    }

    @Test("Randomly mutated bodies do not trap, and their meaning does not depend on how they are split")
    func mutations() async throws {
        var random = SeededGenerator(seed: 7578)
        let sample = Array(Self.curl.replacing("------------------------02461fdc7d3dc0d1", with: "X-y").utf8)
        var taken = 0
        // `Tests/Fuzzing` reads many more bodies.
        for round in 0..<2_000 {
            let bytes = mutated(sample, &random)
            let whole = await outcome(bytes.pieces(of: bytes.count + 1))
            let cut = await outcome(bytes.pieces(of: Int.random(in: 1...40, using: &random)))
            #expect(whole == cut, "round \(round)")
            if case .success = whole { taken += 1 }
        }
        #expect((100...1_900).contains(taken))
    }

    private func outcome(_ pieces: [ByteBuffer]) async -> Result<ReadForm, ServiceError> {
        do {
            return .success(try await ReadForm(pieces))
        } catch let error as ServiceError {
            return .failure(error)
        } catch {
            return .failure(ServiceError(.unavailable, ErrorMessage(verbatim: "\(error)")))
        }
    }

    /// Changes bytes, and removes, repeats and moves ranges.
    private func mutated(_ sample: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        let special = Array("\r\n-X\";=: %\0".utf8) + [0xFF, 0xC3]
        var bytes = sample
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let run = bytes[start..<min(bytes.count, start + Int.random(in: 1...20, using: &random))]
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[start] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[start] = special.randomElement(using: &random) ?? 0
            case 2: if run.count < bytes.count { bytes.removeSubrange(run.indices) }
            default: bytes.insert(contentsOf: run, at: Int.random(in: 0...bytes.count, using: &random))
            }
        }
        return bytes
    }
}

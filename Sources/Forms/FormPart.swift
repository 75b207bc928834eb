package import NIOCore

/// One part of a form.
package enum FormPart: Sendable {
    case field(name: String, value: String)
    case file(FormFile)
}

/// A file in a form: its bytes as they arrive, once, and only until the next part is asked for.
package struct FormFile: AsyncSequence, Sendable {
    package let name: String
    /// As the client tells it: no path to write to.
    package let filename: String
    /// As the client tells it.
    package let contentType: String?

    fileprivate let reader: MultipartReader
    fileprivate let part: Int

    init(name: String, filename: String, contentType: String?, reader: MultipartReader, part: Int) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.reader = reader
        self.part = part
    }

    package func makeAsyncIterator() -> Iterator { Iterator(file: self) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let file: FormFile

        package mutating func next() async throws -> ByteBuffer? {
            try await file.reader.content(of: file.part)
        }
    }
}

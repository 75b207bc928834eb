package import NIOCore

/// A part of a form.
package enum FormPart: Sendable {
    case field(name: String, value: String)
    case file(FormFile)
}

/// A file in a form. Its bytes can be read once as they arrive, until the next part is requested.
package struct FormFile: AsyncSequence, Sendable {
    package let name: String
    /// The name that the client sent; it must not be used as a path.
    package let filename: String
    /// The type that the client sent.
    package let contentType: String?

    fileprivate let reader: MultipartReader
    fileprivate let part: Int

    init(name: String, filename: String, contentType: String?, reader: MultipartReader, part: Int) {
        (self.name, self.filename, self.contentType) = (name, filename, contentType)
        (self.reader, self.part) = (reader, part)
    }

    package func makeAsyncIterator() -> Iterator { Iterator(file: self) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let file: FormFile

        package mutating func next() async throws -> ByteBuffer? {
            try await file.reader.content(of: file.part)
        }
    }
}

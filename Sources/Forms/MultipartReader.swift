package import Domain
package import NIOCore

/// Reads a `multipart/form-data` body (RFC 7578) as it arrives. No more of a file is held than one piece of the body.
///
///     let reader = try MultipartReader(request.body, contentType: type)
///     while let part = try await reader.next() {
///         switch part {
///         case .field(let name, let value): fields.append(name, value)
///         case .file(let file): for try await piece in file { ... }
///         }
///     }
///
/// An actor, because a file may be read by another task than the one that asks for parts; never by both at once.
package actor MultipartReader {
    private let body: BodySource
    private let limits: FormLimits
    private var parser: MultipartParser
    /// The part that is being read, counted from 1; its content may not have ended.
    private var part = 0
    private var isInPart = false
    /// Content that was looked at but not handed out.
    private var ahead: ByteBuffer?
    private var textSize = 0

    /// - Parameters:
    ///   - body: throws what it likes; that comes through unchanged.
    ///   - contentType: of the request, which names the boundary.
    package init<Body: AsyncSequence>(
        _ body: sending Body,
        contentType: String,
        limits: FormLimits = FormLimits()
    ) throws(ServiceError) where Body.Element == ByteBuffer {
        parser = MultipartParser(try MultipartBoundary(contentType: contentType), limits)
        self.limits = limits
        self.body = BodySource(body)
    }

    /// Nil behind the last part. What was not read of a file is skipped; a file input left empty is no part.
    package func next() async throws -> FormPart? {
        while try await nextContent() != nil {}
        while let header = try await nextHeader() {
            guard let filename = header.filename else {
                return .field(name: header.name, value: try await text(of: header.name))
            }
            if filename.isEmpty {
                ahead = try await nextContent()
                if ahead == nil { continue }
            }
            return .file(
                FormFile(
                    name: header.name,
                    filename: filename,
                    contentType: header.contentType,
                    reader: self,
                    part: part
                )
            )
        }
        return nil
    }

    /// Nil at the end of the file, and where the reader has gone on from it.
    func content(of part: Int) async throws -> ByteBuffer? {
        part == self.part ? try await nextContent() : nil
    }

    private func text(of name: String) async throws -> String {
        var bytes: [UInt8] = []
        while let piece = try await nextContent() {
            textSize += piece.readableBytes
            guard textSize <= limits.text else { throw ServiceError.largeFields(limits.text) }
            bytes += piece.readableBytesView
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ServiceError.invalid(name, "expected UTF-8")
        }
        return text
    }

    private func nextHeader() async throws -> PartHeader? {
        guard case .part(let header) = try await nextEvent() else { return nil }
        part += 1
        isInPart = true
        return header
    }

    private func nextContent() async throws -> ByteBuffer? {
        if let piece = ahead.take() { return piece }
        guard isInPart else { return nil }
        if case .content(let piece) = try await nextEvent() { return piece }
        isInPart = false
        return nil
    }

    private func nextEvent() async throws -> MultipartParser.Event {
        while true {
            if let event = try parser.next() { return event }
            guard let piece = try await body.next(isolation: self) else {
                throw ServiceError.invalid("body", "the form is cut off, or there is none")
            }
            parser.feed(piece)
        }
    }
}

/// The pieces of a body, whatever sequence they come from.
private final class BodySource {
    private let read: (isolated (any Actor)?) async throws -> ByteBuffer?

    init<Body: AsyncSequence>(_ body: sending Body) where Body.Element == ByteBuffer {
        var iterator = body.makeAsyncIterator()
        read = { isolation in try await iterator.next(isolation: isolation) }
    }

    func next(isolation: isolated (any Actor)?) async throws -> ByteBuffer? { try await read(isolation) }
}

package import Domain
package import NIOCore

/// Reads a `multipart/form-data` body (RFC 7578) as it arrives. At most one piece of a file is held in memory.
///
///     let reader = try MultipartReader(request.body, contentType: type)
///     while let part = try await reader.next() {
///         switch part {
///         case .field(let name, let value): fields.append(name, value)
///         case .file(let file): for try await piece in file { ... }
///         }
///     }
///
/// It is an actor because a file may be read by another task than the one that requests parts, but never by both at
/// once.
package actor MultipartReader {
    private let body: BodySource
    private let limits: FormLimits
    private var parser: MultipartParser
    /// The number of the current part, counted from 1; its content may not have ended.
    private var part = 0
    private var isInPart = false
    /// Content that was read ahead but not returned yet.
    private var ahead: ByteBuffer?
    private var textSize = 0

    /// - Parameters:
    ///   - body: The body. Its errors are passed on unchanged.
    ///   - contentType: The Content-Type of the request, which contains the boundary.
    package init<Body: AsyncSequence>(
        _ body: sending Body,
        contentType: String,
        limits: FormLimits = FormLimits()
    ) throws(ServiceError) where Body.Element == ByteBuffer {
        parser = MultipartParser(try MultipartBoundary(contentType: contentType), limits)
        self.limits = limits
        self.body = BodySource(body)
    }

    /// Returns the next part, or nil after the last one. Unread content of a file is skipped, and an empty file input
    /// is left out.
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

    /// Returns nil at the end of the file, or if the reader has advanced to another part.
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

/// The pieces of a body, from any sequence.
private final class BodySource {
    private let read: (isolated (any Actor)?) async throws -> ByteBuffer?

    init<Body: AsyncSequence>(_ body: sending Body) where Body.Element == ByteBuffer {
        var iterator = body.makeAsyncIterator()
        read = { isolation in try await iterator.next(isolation: isolation) }
    }

    func next(isolation: isolated (any Actor)?) async throws -> ByteBuffer? { try await read(isolation) }
}

package import Domain
package import NIOCore

extension FormFields {
    /// The maximum size in bytes of an `application/x-www-form-urlencoded` body.
    package static let maxURLEncodedSize = 64 << 10

    /// Reads an `application/x-www-form-urlencoded` body as it arrives.
    ///
    /// - Parameter maxFields: the maximum number of fields.
    package init<Body: AsyncSequence>(
        urlEncoded body: Body,
        maxFields: Int = FormLimits().parts
    ) async throws where Body.Element == ByteBuffer {
        var bytes: [UInt8] = []
        for try await piece in body {
            guard bytes.count + piece.readableBytes <= Self.maxURLEncodedSize else {
                throw ServiceError.largeFields(Self.maxURLEncodedSize)
            }
            bytes += piece.readableBytesView
        }
        try self.init(urlEncoded: bytes, maxFields: maxFields)
    }

    /// Reads an `application/x-www-form-urlencoded` body.
    package init(urlEncoded bytes: some Sequence<UInt8>, maxFields: Int = FormLimits().parts) throws(ServiceError) {
        let bytes = Array(bytes)
        guard bytes.count <= Self.maxURLEncodedSize else { throw .largeFields(Self.maxURLEncodedSize) }
        self.init()
        let pairs = bytes.split(separator: UInt8(ascii: "&"))
        guard pairs.count <= maxFields else { throw .manyParts(maxFields) }
        for pair in pairs {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = pair[..<end].percentDecoded else {
                throw .invalid("body", "a field's name is not percent-encoded UTF-8")
            }
            guard let value = pair[end...].dropFirst().percentDecoded else {
                throw .invalid(name, "expected percent-encoded UTF-8")
            }
            append(name, value)
        }
    }
}

extension ArraySlice<UInt8> {
    /// The decoded text, or nil if a percent sign is not followed by two hex digits or the text is not UTF-8.
    fileprivate var percentDecoded: String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(count)
        var rest = self
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else { return nil }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

import Domain

/// The boundary between the parts of a body, from its Content-Type.
struct MultipartBoundary {
    /// The boundary, including the preceding line end (RFC 2046, 5.1.1).
    let delimiter: [UInt8]

    init(contentType: String) throws(ServiceError) {
        guard let type = ParameterizedValue(contentType), type.value == "multipart/form-data" else {
            throw ServiceError(.unsupportedMediaType, "Content-Type: expected multipart/form-data")
        }
        guard let boundary = type["boundary"], (1...70).contains(boundary.utf8.count), !boundary.hasSuffix(" "),
            boundary.unicodeScalars.allSatisfy(\.isInBoundary)
        else {
            throw .invalid("Content-Type", "expected a boundary of 1 to 70 characters, as RFC 2046 has them")
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
    }
}

extension Unicode.Scalar {
    fileprivate var isInBoundary: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: "'()+_,-./:=? ".unicodeScalars.contains(self)
        }
    }
}

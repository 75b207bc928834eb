import Domain

/// The limits for a `multipart/form-data` body. File sizes are limited by the code that reads the files.
package struct FormLimits: Sendable {
    package let parts: Int
    package let header: Int
    package let text: Int

    /// - Parameters:
    ///   - parts: The maximum number of fields and files.
    ///   - header: The maximum size of a part's header in bytes; the preamble has the same limit.
    ///   - text: The maximum total size of all text fields in bytes.
    package init(parts: Int = 64, header: Int = 8 << 10, text: Int = 64 << 10) {
        (self.parts, self.header, self.text) = (parts, header, text)
    }
}

extension ServiceError {
    static func largeFields(_ limit: Int) -> ServiceError {
        ServiceError(.tooLarge, "body: expected at most \(limit) bytes of text fields", field: "body")
    }

    static func largeHeader(_ limit: Int) -> ServiceError {
        ServiceError(.tooLarge, "body: expected at most \(limit) bytes before each part's content", field: "body")
    }

    static func manyParts(_ limit: Int) -> ServiceError {
        ServiceError(.tooLarge, "body: expected at most \(limit) fields and files", field: "body")
    }
}

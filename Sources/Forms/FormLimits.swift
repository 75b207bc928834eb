import Domain

/// How much of a `multipart/form-data` body is put up with. Files have no limit here: who takes them sets it.
package struct FormLimits: Sendable {
    package let parts: Int
    package let header: Int
    package let text: Int

    /// - Parameters:
    ///   - parts: how many fields and files.
    ///   - header: the bytes of one part's header; as many may stand before the first part.
    ///   - text: the bytes of all text fields' values together.
    package init(parts: Int = 64, header: Int = 8 << 10, text: Int = 64 << 10) {
        self.parts = parts
        self.header = header
        self.text = text
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

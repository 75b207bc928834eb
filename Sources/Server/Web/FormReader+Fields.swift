import Domain
import HTTP
import Hummingbird
import Photos

/// The fields of an object that a client sends, with a photo or without.
struct FieldsWithPhoto: Sendable {
    let fields: [String: JSONValue]
    let photo: ProcessedPhoto?
}

extension FormReader {
    /// Reads the fields of a request of the API: a JSON object, or `multipart/form-data` with the same fields and a file
    /// named `photo`. Texts of the form are converted to numbers where the fields are such.
    ///
    /// - Throws: `ServiceError` if a field or the photo cannot be read.
    func readFields(_ request: Request) async throws -> FieldsWithPhoto {
        guard request.isMultipart else {
            return FieldsWithPhoto(fields: try await request.fields(), photo: nil)
        }
        let form = try await read(request, maxPhotos: 1)
        try form.expectFiles()
        for name in form.fields.names where form.fields.all(name).count > 1 {
            throw ServiceError.invalid(name, "expected it once")
        }
        // An empty field is not left out, as in JSON.
        let sent = form.fields.names.map { ($0, form.fields.first($0) ?? "") }
        let fields = try form.values(Dictionary(uniqueKeysWithValues: sent))
        return FieldsWithPhoto(fields: fields, photo: try form.photos().first)
    }
}

extension FormReader.SubmittedForm {
    /// Returns the fields as they are in a JSON object: coordinates are numbers.
    func values(_ typed: [String: String]) throws(ServiceError) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for (name, text) in typed {
            // Browsers count a line break as one character towards `maxlength`, and send it as two (CR LF).
            values[name] = .string(text.replacing("\r\n", with: "\n"))
            guard ["lon", "lat"].contains(name) else { continue }
            guard let number = text.decimalNumber else { throw .invalid(name, "expected degrees") }
            values[name] = .number(number)
        }
        return values
    }

    /// Returns the photo of a form that has at most one.
    func photo() throws(ServiceError) -> ProcessedPhoto? {
        try expectFiles()
        return try photos().first
    }
}

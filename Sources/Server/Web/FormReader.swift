import Concurrency
import Domain
package import Forms
import Foundation
import HTTP
import HTTPTypes
package import Hummingbird
package import Photos

/// Reads the forms of web pages, in both encodings that browsers use, including photos.
package struct FormReader: Sendable {
    private let photos: PhotoService
    /// The valid version numbers of a listing.
    static let versions = 0...Int(Int32.max)
    static let tooManyPhotos = ServiceError.invalid("photos", "expected at most \(ListingPhoto.maxCount)")
    /// The maximum duration of a submission.
    private static let timeout = Duration.seconds(300)

    package init(photos: PhotoService) {
        self.photos = photos
    }

    /// A submitted form. Nothing of it has been stored yet: the caller checks the fields first.
    package struct SubmittedForm: Sendable {
        package fileprivate(set) var fields = FormFields()
        /// The photos in the order in which they were sent.
        package fileprivate(set) var photos: [ProcessedPhoto] = []
    }

    /// Reads the form of a request.
    ///
    /// - Throws: `ServiceError` if a field or a photo cannot be read.
    package func read(_ request: Request) async throws -> SubmittedForm {
        let type = request.headers[.contentType] ?? ""
        switch type.prefix(while: { $0 != ";" }).trimmed.lowercased() {
        case "application/x-www-form-urlencoded":
            return SubmittedForm(fields: try await FormFields(urlEncoded: request.body))
        case "multipart/form-data":
            let (fields, files) = try await withTimeout(Self.timeout, orElse: .slowForm) {
                try await receive(request.body, type)
            }
            // Photos are decoded when the form is complete, so that slow clients delay nobody.
            var form = SubmittedForm(fields: fields)
            for file in files { form.photos.append(try await photos.process(file)) }
            return form
        default:
            throw ServiceError(
                .unsupportedMediaType,
                "Content-Type: expected multipart/form-data or application/x-www-form-urlencoded"
            )
        }
    }

    private func receive(
        _ body: RequestBody,
        _ type: String
    ) async throws -> (fields: FormFields, files: [PhotoService.ReceivedPhoto]) {
        var (fields, files): (FormFields, [PhotoService.ReceivedPhoto]) = (FormFields(), [])
        let reader = try MultipartReader(body, contentType: type)
        while let part = try await reader.next() {
            switch part {
            case .field(let name, let value): fields.append(name, value)
            case .file(let file):
                guard files.count < ListingPhoto.maxCount else { throw Self.tooManyPhotos }
                files.append(try await photos.receive(file))
            }
        }
        return (fields, files)
    }
}

extension ServiceError {
    fileprivate static let slowForm = ServiceError(.tooSlow, "the form took too long to arrive")
}

extension FormReader.SubmittedForm {
    subscript(_ name: String) -> String? { fields.first(name) }

    /// The key of the form, so that a form sent twice creates one listing or message; nil if the form contains none.
    var key: IdempotencyKey? { typed["key"].map { IdempotencyKey($0) } }

    /// Returns all values of the named field that are not empty.
    func numbers(_ name: String, _ range: ClosedRange<Int>) throws(ServiceError) -> [Int] {
        var numbers: [Int] = []
        for text in fields.all(name) where !text.isEmpty {
            guard let number = Int(text), range.contains(number) else { throw .invalid(name, "expected a number") }
            numbers.append(number)
        }
        return numbers
    }

    /// Throws if a photo was sent as a text field and not as a file, because it would be ignored.
    func expectFiles() throws(ServiceError) {
        for name in ["photo", "photos"] where typed[name] != nil { throw .invalid(name, "expected a file") }
    }

    /// The fields by name, without empty ones.
    var typed: [String: String] {
        fields.names.reduce(into: [:]) { typed, name in
            if let value = fields.first(name), !value.isEmpty { typed[name] = value }
        }
    }
}

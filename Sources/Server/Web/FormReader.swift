package import Domain
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
    static func tooManyPhotos(_ max: Int = ListingPhoto.maxCount) -> ServiceError {
        .invalid("photos", "expected at most \(max)")
    }

    package init(photos: PhotoService) {
        self.photos = photos
    }

    /// A submitted form. Nothing of it has been stored yet: the caller checks the fields first.
    package struct SubmittedForm: Sendable {
        package fileprivate(set) var fields = FormFields()
        private var processed: [ProcessedPhoto] = []
        /// The first error of a photo. It does not stop the reading, so that the form can be shown again with its other
        /// fields.
        private var photoError: ServiceError?

        /// Returns the photos in the order in which they were sent.
        ///
        /// - Throws: `ServiceError` if one of them cannot be accepted.
        package func photos() throws(ServiceError) -> [ProcessedPhoto] {
            if let photoError { throw photoError }
            return processed
        }

        /// Runs `body`, which receives or decodes a photo, unless an earlier photo cannot be accepted. An error that the
        /// user can correct is kept.
        fileprivate mutating func collect<Photo>(_ body: () async throws -> Photo) async throws -> Photo? {
            guard photoError == nil else { return nil }
            do {
                return try await body()
            } catch let error as ServiceError
                where [.invalid, .tooLarge, .unsupportedMediaType].contains(error.code)
            {
                photoError = error
                return nil
            }
        }

        fileprivate mutating func append(_ photo: ProcessedPhoto) { processed.append(photo) }
    }

    /// Reads the form of a request.
    ///
    /// - Parameters:
    ///   - maxPhotos: the maximum number of photos.
    ///   - maxFields: the maximum number of fields of a form without photos.
    /// - Throws: `ServiceError` if a field cannot be read. Photos that cannot be read are an error of
    ///   `SubmittedForm.photos()`.
    package func read(
        _ request: Request,
        maxPhotos: Int = ListingPhoto.maxCount,
        maxFields: Int = FormLimits().parts
    ) async throws -> SubmittedForm {
        let type = request.headers[.contentType] ?? ""
        switch request.mediaType {
        case "application/x-www-form-urlencoded":
            var form = SubmittedForm()
            form.fields = try await FormFields(urlEncoded: request.body, maxFields: maxFields)
            return form
        case "multipart/form-data":
            var (form, files) = try await receive(request.body, type, maxPhotos)
            // Photos are decoded when the form is complete, so that slow clients delay nobody.
            for file in files {
                if let photo = try await form.collect({ try await photos.process(file) }) { form.append(photo) }
            }
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
        _ type: String,
        _ maxPhotos: Int
    ) async throws -> (form: SubmittedForm, files: [PhotoService.ReceivedPhoto]) {
        var (form, files): (SubmittedForm, [PhotoService.ReceivedPhoto]) = (SubmittedForm(), [])
        let reader = try MultipartReader(body, contentType: type)
        while let part = try await reader.next() {
            switch part {
            case .field(let name, let value): form.fields.append(name, value)
            case .file(let file):
                let isFull = files.count >= maxPhotos
                let received = try await form.collect {
                    guard !isFull else { throw Self.tooManyPhotos(maxPhotos) }
                    return try await photos.receive(file)
                }
                if let received { files.append(received) }
            }
        }
        return (form, files)
    }
}

extension FormReader.SubmittedForm {
    subscript(_ name: String) -> String? { fields.first(name) }

    /// The key of the form, so that a form sent twice creates one listing or message; nil if the form contains none.
    var key: IdempotencyKey? { typed["key"].map { IdempotencyKey($0) } }

    /// Returns all values of the named field that are not empty.
    func numbers(_ name: String, _ range: ClosedRange<Int>) throws(ServiceError) -> [Int] {
        var numbers: [Int] = []
        for text in fields.all(name) where !text.isEmpty {
            guard let number = text.wholeNumber, range.contains(number) else {
                throw .invalid(name, "expected a number")
            }
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

import Concurrency
import Domain
package import Forms
import Foundation
import HTTPTypes
package import Hummingbird
package import Photos

/// Takes in the forms of web pages, in both encodings in which browsers send them, with photos.
package struct FormReader: Sendable {
    private let photos: PhotoService
    /// Each holds its photos in memory while the rest arrives.
    private let submissions = AsyncSemaphore(permits: 32, maxWaiting: 1000)

    /// How often a listing may have been edited.
    static let versions = 0...Int(Int32.max)
    static let tooManyPhotos = ServiceError.invalid("photos", "expected at most \(ListingPhoto.maxCount)")
    /// How long sending all of it may take.
    private static let patience = Duration.seconds(300)

    package init(photos: PhotoService) {
        self.photos = photos
    }

    /// A form as it was filled in. Nothing of it is on record yet: that is for who has looked at the fields.
    package struct SubmittedForm: Sendable {
        package fileprivate(set) var fields = FormFields()
        /// In the order in which they were sent.
        package fileprivate(set) var photos: [ProcessedPhoto] = []
    }

    /// - Throws: `ServiceError`, where a field or a photo cannot be read.
    package func read(_ request: Request) async throws -> SubmittedForm {
        let type = request.headers[.contentType] ?? ""
        switch type.prefix(while: { $0 != ";" }).trimmed.lowercased() {
        case "application/x-www-form-urlencoded":
            return SubmittedForm(fields: try await FormFields(urlEncoded: request.body))
        case "multipart/form-data":
            return try await submissions.withPermit {
                try await withTimeout(Self.patience, orElse: .slowForm) { try await parts(request.body, type) }
            }
        default:
            throw ServiceError(
                .unsupportedMediaType,
                "Content-Type: expected multipart/form-data or application/x-www-form-urlencoded"
            )
        }
    }

    private func parts(_ body: RequestBody, _ type: String) async throws -> SubmittedForm {
        var form = SubmittedForm()
        let reader = try MultipartReader(body, contentType: type)
        while let part = try await reader.next() {
            switch part {
            case .field(let name, let value): form.fields.append(name, value)
            case .file(let file):
                guard form.photos.count < ListingPhoto.maxCount else { throw Self.tooManyPhotos }
                form.photos.append(try await photos.process(file))
            }
        }
        return form
    }
}

extension ServiceError {
    fileprivate static let slowForm = ServiceError(.tooSlow, "the form took too long to arrive")
}

extension FormReader.SubmittedForm {
    subscript(_ name: String) -> String? { fields.first(name) }

    /// The number of what the form makes; nil where it has none.
    var id: UUID? {
        get throws(ServiceError) {
            guard let text = typed["id"] else { return nil }
            guard let id = UUID(uuidString: text) else { throw .invalid("id", "expected a UUID") }
            return id
        }
    }

    /// All of that name, but for those left empty.
    func numbers(_ name: String, _ range: ClosedRange<Int>) throws(ServiceError) -> [Int] {
        var numbers: [Int] = []
        for text in fields.all(name) where !text.isEmpty {
            guard let number = Int(text), range.contains(number) else { throw .invalid(name, "expected a number") }
            numbers.append(number)
        }
        return numbers
    }

    /// Photos are files: as texts they would be lost.
    func expectFiles() throws(ServiceError) {
        for name in ["photo", "photos"] where typed[name] != nil { throw .invalid(name, "expected a file") }
    }

    /// By name, without those left empty.
    var typed: [String: String] {
        fields.names.reduce(into: [:]) { typed, name in
            if let value = fields.first(name), !value.isEmpty { typed[name] = value }
        }
    }
}

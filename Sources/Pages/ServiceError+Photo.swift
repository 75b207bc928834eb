import Domain

extension ServiceError {
    /// Whether a photo of a form was not accepted.
    var isAboutPhoto: Bool {
        switch code {
        case .tooLarge, .unsupportedMediaType: true
        default: field.map(["photo", "photos", "body"].contains) == true
        }
    }
}

import Domain
import Localization
import Mustache

extension StoredPhoto {
    /// The values of the template `attached-photo`.
    ///
    /// - Parameter alt: the text for readers who do not see the photo.
    func content(_ compose: PageBuilder, alt: String) -> [String: any TemplateValue] {
        [
            "url": compose.path(url), "medium": compose.path(medium), "thumbnail": compose.path(thumbnail),
            "width": width, "height": height, "alt": alt,
        ]
    }
}

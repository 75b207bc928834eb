package import Domain
import Foundation

/// The texts of all languages, for pages, mails, feeds and the API.
package struct Localization: Sendable {
    private let english: LocalizedStrings
    private let italian: LocalizedStrings
    private let breeds: Breeds

    package init(breeds: Breeds) throws {
        let folder = (Bundle.module.resourceURL ?? Bundle.module.bundleURL).appending(path: "Texts")
        english = try LocalizedStrings(.english, in: folder)
        italian = try LocalizedStrings(.italian, in: folder)
        self.breeds = breeds
    }

    package func localizer(_ language: Language) -> Localizer {
        Localizer(language: language, texts: language == .italian ? italian : english, breeds: breeds)
    }
}

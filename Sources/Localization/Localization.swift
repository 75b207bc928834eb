package import Domain
import Foundation

/// The texts of all languages, for pages, mails, feeds and the API.
package struct Localization: Sendable {
    private let english: LocalizedStrings
    private let italian: LocalizedStrings
    private let breeds: Breeds
    package let timeZones: TimeZones
    package let microchipPrefixes: MicrochipPrefixes

    package init(breeds: Breeds) throws {
        let resources = Bundle.module.resourceURL ?? Bundle.module.bundleURL
        let folder = resources.appending(path: "Texts")
        english = try LocalizedStrings(.english, in: folder)
        italian = try LocalizedStrings(.italian, in: folder)
        timeZones = TimeZones(
            tsv: try String(contentsOf: resources.appending(path: "time-zones.tsv"), encoding: .utf8)
        )
        microchipPrefixes = MicrochipPrefixes(
            tsv: try String(contentsOf: resources.appending(path: "microchip-prefixes.tsv"), encoding: .utf8)
        )
        self.breeds = breeds
    }

    package func localizer(_ language: Language) -> Localizer {
        Localizer(
            language: language,
            texts: language == .italian ? italian : english,
            breeds: breeds,
            timeZones: timeZones,
            microchipPrefixes: microchipPrefixes
        )
    }
}

package import Domain
import Foundation

/// The texts of all languages, for pages, mails, feeds and the API.
package struct Localization: Sendable {
    private let resources: Resources
    private let breeds: Breeds
    private let site: String?
    private let added: [Language: LocalizedStrings]

    package var timeZones: TimeZones { resources.timeZones }
    package var microchipPrefixes: MicrochipPrefixes { resources.microchipPrefixes }

    /// - Parameters:
    ///   - site: the country of the site, which decides on units; nil if it is not known.
    ///   - added: texts of languages that have no folder.
    /// - Throws: if the bundled files cannot be read.
    package init(breeds: Breeds, site: String? = nil, added: [Language: LocalizedStrings] = [:]) throws {
        resources = try Resources.bundled.get()
        (self.breeds, self.site, self.added) = (breeds, site, added)
    }

    package var languages: [Language] { Language.allCases + added.keys }

    package func localizer(_ language: Language) -> Localizer {
        Localizer(
            language: language,
            texts: added[language] ?? resources.texts[language] ?? resources.english,
            breeds: breeds,
            timeZones: timeZones,
            microchipPrefixes: microchipPrefixes,
            site: site
        )
    }
}

/// The bundled files, which a process reads once: tests start many services.
private struct Resources {
    let texts: [Language: LocalizedStrings]
    let english: LocalizedStrings
    let timeZones: TimeZones
    let microchipPrefixes: MicrochipPrefixes

    static let bundled = Result { try Resources(Bundle.module.resourceURL ?? Bundle.module.bundleURL) }

    private init(_ folder: URL) throws {
        // A file that cannot be read ends the program at its start, not at the first error.
        for language in Language.allCases { _ = language.errorMessages }
        let english = try LocalizedStrings(.english)
        self.english = english
        texts = Dictionary(
            uniqueKeysWithValues: try Language.allCases.map {
                ($0, try LocalizedStrings($0, insteadOfMissing: english))
            }
        )
        timeZones = TimeZones(tsv: try String(contentsOf: folder.appending(path: "time-zones.tsv"), encoding: .utf8))
        microchipPrefixes = MicrochipPrefixes(
            tsv: try String(contentsOf: folder.appending(path: "microchip-prefixes.tsv"), encoding: .utf8)
        )
    }
}

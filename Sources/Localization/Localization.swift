package import Domain
import Foundation

/// The texts of all languages, for pages, mails, feeds and the API.
package struct Localization: Sendable {
    private let resources: Resources
    private let breeds: Breeds

    package var timeZones: TimeZones { resources.timeZones }
    package var microchipPrefixes: MicrochipPrefixes { resources.microchipPrefixes }

    /// - Throws: if the bundled files cannot be read.
    package init(breeds: Breeds) throws {
        resources = try Resources.bundled.get()
        self.breeds = breeds
    }

    package func localizer(_ language: Language) -> Localizer {
        Localizer(
            language: language,
            texts: language == .italian ? resources.italian : resources.english,
            breeds: breeds,
            timeZones: timeZones,
            microchipPrefixes: microchipPrefixes
        )
    }
}

/// The bundled files, which a process reads once: tests start many services.
private struct Resources {
    let english: LocalizedStrings
    let italian: LocalizedStrings
    let timeZones: TimeZones
    let microchipPrefixes: MicrochipPrefixes

    static let bundled = Result { try Resources(Bundle.module.resourceURL ?? Bundle.module.bundleURL) }

    private init(_ folder: URL) throws {
        let texts = folder.appending(path: "Texts")
        english = try LocalizedStrings(.english, in: texts)
        italian = try LocalizedStrings(.italian, in: texts)
        timeZones = TimeZones(
            tsv: try String(contentsOf: folder.appending(path: "time-zones.tsv"), encoding: .utf8)
        )
        microchipPrefixes = MicrochipPrefixes(
            tsv: try String(contentsOf: folder.appending(path: "microchip-prefixes.tsv"), encoding: .utf8)
        )
    }
}

import Concurrency
import Domain
import HTTP
import Imports
import Pages
import Storage

extension ImportService {
    /// The groups of mistakes that are shown.
    private static let maxMistakes = 100
    /// The names of towns for which similar ones are looked up: each takes a millisecond.
    private static let maxLookups = 30
    private static let maxSuggestions = 5

    /// Returns what became of a file and, for a trial, what can be changed before it is imported.
    func report(of listingImport: ListingImport) async throws -> ImportReport {
        let organisation = try organisations.find(accounts: [listingImport.owner])[listingImport.owner]
        let room = try imports.room(of: listingImport.owner)
        let photos = try remotePhotos.counts(ofImports: [listingImport.key])[listingImport.key] ?? .init()
        let failures = photos.total == 0 ? [] : try remotePhotos.failures(of: listingImport, limit: Self.maxMistakes)
        return try await slowReads.run(RequestMeter.current) {
            let mistakes = try imports.findMistakes(of: listingImport, limit: Self.maxMistakes)
            let sample = try isDraft(listingImport) ? try? sample(of: listingImport) : nil
            return ImportReport(
                organisation,
                mistakes: sample == nil
                    ? mistakes.map { ImportReport.Mistake($0) } : try suggest(mistakes, listingImport.order.language),
                room: room,
                photos: photos,
                failures: failures,
                draft: sample.map(ImportReport.Draft.init)
            )
        }
    }

    /// Adds the names of towns that the mistaken ones may mean.
    private func suggest(_ mistakes: [ImportMistake], _ language: Language) throws -> [ImportReport.Mistake] {
        var left = Self.maxLookups
        return try mistakes.map { mistake in
            guard mistake.field == ListingField.place.name, let name = mistake.value, left > 0 else {
                return ImportReport.Mistake(mistake)
            }
            left -= 1
            guard case .unclear(let candidates) = try finder.town(named: name, language: language) else {
                return ImportReport.Mistake(mistake)
            }
            return ImportReport.Mistake(mistake, suggestions: candidates.prefix(Self.maxSuggestions).map(\.fullName))
        }
    }
}

extension ImportReport.Draft {
    fileprivate init(_ sample: ImportSample) {
        self.init(
            columns: sample.columns.map { .init(title: $0.name, fieldName: $0.field, values: $0.values) },
            values: sample.values.map { .init(field: $0.field, text: $0.text, meaning: $0.meaning) }
        )
    }
}

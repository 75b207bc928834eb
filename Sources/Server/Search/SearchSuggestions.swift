import Domain
import Foundation
import Gazetteer
import Localization
import SearchText
import Storage

/// Completes the text of the search field: the last words of the text are the beginning of a word, a breed, a town or a
/// name on the board.
struct SearchSuggester: Sendable {
    private let language: Language
    private let gazetteer: Gazetteer
    private let board: ListingSearch
    private let words: [Entry]
    /// The most frequent breeds first.
    private let breeds: [Entry]

    private struct Entry {
        let kind: SearchReading.Part.Kind
        let text: String
        let folded: String

        init(_ kind: SearchReading.Part.Kind, _ text: String) {
            (self.kind, self.text, folded) = (kind, text, text.folded)
        }

        /// Whether the text begins with a folded one and goes on.
        func isLonger(than beginning: String) -> Bool { folded.hasPrefix(beginning) && folded != beginning }
    }

    static let maxCount = 8
    /// The words at the end of the text that may be the beginning of one name: "jack r".
    private static let maxWords = 4
    /// In letters: nearly everything begins with a single one.
    private static let minLetters = 2
    /// In inhabitants. Readers of searches take the names of smaller towns abroad for words.
    private static let cityPopulation = 500_000

    init(_ localizer: Localizer, _ breeds: Breeds, _ gazetteer: Gazetteer, _ board: ListingSearch) {
        (language, self.gazetteer, self.board) = (localizer.language, gazetteer, board)
        words = localizer.searchWords.map { Entry($0.kind, $0.text) }
        self.breeds = breeds.search("", language: localizer.language, limit: breeds.all.count)
            .filter { !$0.isType && $0.key != Breed.mixedKey }
            .map { Entry(.breed, $0.name(in: localizer.language)) }
    }

    /// Returns the best completions, those of most words first, then one of each kind by turns.
    ///
    /// - Parameters:
    ///   - text: of any kind. Words between quotation marks are not completed.
    ///   - isEnded: whether the last word is complete, so that only names of several words go on.
    /// - Throws: errors of the databases of places and listings.
    func suggestions(for text: String, isEnded: Bool = false) throws -> [SearchSuggestion] {
        guard text.count(where: { $0 == "\"" }).isMultiple(of: 2) else { return [] }
        let words = text.split(whereSeparator: \.isWhitespace)
        var found: [SearchSuggestion] = []
        for count in (1...Self.maxWords).reversed() where count <= words.count {
            let beginning = words.suffix(count).joined(separator: " ").folded + (isEnded ? " " : "")
            guard beginning.utf8.count >= Self.minLetters else { continue }
            let before = words.dropLast(count).joined(separator: " ")
            for entry in try completions(of: beginning) {
                let whole = before.isEmpty ? entry.text : before + " " + entry.text
                guard !found.contains(where: { $0.text.folded == whole.folded }) else { continue }
                found.append(SearchSuggestion(text: whole, kind: entry.kind))
            }
        }
        return Array(found.prefix(Self.maxCount))
    }

    /// - Parameter beginning: folded; more letters must follow.
    private func completions(of beginning: String) throws -> [Entry] {
        let lists = try [words, breeds, places(beginning), names(beginning)].map { list in
            Array(list.lazy.filter { $0.isLonger(than: beginning) }.prefix(Self.maxCount))
        }
        return (0..<Self.maxCount).flatMap { rank in lists.compactMap { $0.count > rank ? $0[rank] : nil } }
    }

    private func names(_ beginning: String) throws -> [Entry] {
        guard !beginning.contains(" ") else { return [] }
        return try board.names(beginningWith: beginning, limit: Self.maxCount).map { Entry(.name, $0.capitalized) }
    }

    private func places(_ beginning: String) throws -> [Entry] {
        let found = try gazetteer.places(
            beginningWith: beginning, within: Self.areas, language: language, limit: Self.maxPlaces
        ).filter(isRead).sorted { $0.weight(beginning) > $1.weight(beginning) }
        let towns = found.filter { $0.level == .comune }
        return found.compactMap { place in
            let isAlone = !towns.contains { $0.name == place.name && $0 != place }
            // A search for the name of a province that is that of its town means the town.
            guard isAlone || place.level == .comune else { return nil }
            return Entry(.place, isAlone ? place.name ?? "" : place.fullName)
        }
    }

    /// The places of which the greatest are suggested: the gazetteer has those with short names first.
    private static let maxPlaces = 50
    private static let areas = SearchFilter(levels: [.comune, .province, .region, .country])

    private func isRead(_ place: Place) -> Bool {
        place.level == .country || place.level >= .comune && place.countryCode == "IT"
            || place.level == .comune && place.population ?? 0 >= Self.cityPopulation
    }
}

/// A text for the search field.
struct SearchSuggestion: Equatable, Sendable {
    let text: String
    /// The kind of the last part of the text.
    let kind: SearchReading.Part.Kind
}

extension Localizer {
    /// The words for what searches understand, as chips show them.
    var searchWords: [(kind: SearchReading.Part.Kind, text: String)] {
        var words: [(SearchReading.Part.Kind, String)] = []
        words += [Species.dog, .cat].map { (.species, word($0).lowercased()) }
        words += Listing.Status.open.map { (.status, word($0)) }
        words += Listing.Sex.allCases.map { (.sex, word($0)) }
        words += SearchReading.Age.allCases.map { (.age, word($0)) }
        words += Listing.Size.allCases.map { (.size, word($0)) }
        words.append((.cross, self("search.cross")))
        words += ColourReader().names.map { (.colour, colour($0)) }
        return words
    }
}

extension Place {
    /// Orders suggestions: the whole name first, then by population. The board knows the towns of Italy best, and areas are as
    /// great as cities.
    fileprivate func weight(_ typed: String) -> Int {
        let people = (population ?? 0) * (countryCode == "IT" ? 100 : 1) + (level > .comune ? 1_000_000 : 0)
        return name?.folded == typed ? .max : people
    }
}

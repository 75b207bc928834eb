import Domain
import Gazetteer
import Localization
import SearchText

/// Completes the text of the search field: the last words of the text are the beginning of a word, a breed or a town.
struct SearchSuggester: Sendable {
    private let language: Language
    private let breeds: Breeds
    private let gazetteer: Gazetteer
    private let words: [(kind: SearchReading.Part.Kind, text: String)]

    static let maxCount = 8
    /// The words at the end of the text that may be the beginning of one name: "jack r".
    private static let maxWords = 4
    /// In letters: nearly everything begins with a single one.
    private static let minLetters = 2
    /// In inhabitants. Readers of searches take the names of smaller towns abroad for words.
    private static let cityPopulation = 500_000

    init(_ localizer: Localizer, _ breeds: Breeds, _ gazetteer: Gazetteer) {
        (language, self.breeds, self.gazetteer) = (localizer.language, breeds, gazetteer)
        words = localizer.searchWords
    }

    /// Returns the best completions, those of most words first, then one of each kind by turns.
    ///
    /// - Parameters:
    ///   - text: of any kind. Words between quotation marks are not completed.
    ///   - isEnded: whether the last word is complete, so that only names of several words go on.
    /// - Throws: errors of the database of places.
    func suggestions(for text: String, isEnded: Bool = false) throws -> [SearchSuggestion] {
        guard text.count(where: { $0 == "\"" }).isMultiple(of: 2) else { return [] }
        let words = text.split(whereSeparator: \.isWhitespace)
        var found: [SearchSuggestion] = []
        for count in (1...Self.maxWords).reversed() where count <= words.count {
            let beginning = words.suffix(count).joined(separator: " ").folded + (isEnded ? " " : "")
            guard beginning.utf8.count >= Self.minLetters else { continue }
            let before = words.dropLast(count).joined(separator: " ")
            for (kind, name) in try completions(of: beginning) {
                let whole = before.isEmpty ? name : before + " " + name
                guard !found.contains(where: { $0.text.folded == whole.folded }) else { continue }
                found.append(SearchSuggestion(text: whole, kind: kind))
            }
        }
        return Array(found.prefix(Self.maxCount))
    }

    /// - Parameter beginning: folded; more letters must follow.
    private func completions(of beginning: String) throws -> [(SearchReading.Part.Kind, String)] {
        let lists = [ownWords(beginning), breedNames(beginning), try places(beginning)]
        return (0..<Self.maxCount).flatMap { rank in lists.compactMap { $0.count > rank ? $0[rank] : nil } }
    }

    private func ownWords(_ beginning: String) -> [(SearchReading.Part.Kind, String)] {
        words.filter { $0.text.isLonger(than: beginning) }.map { ($0.kind, $0.text) }
    }

    /// Returns names of breeds, the most frequent ones first.
    private func breedNames(_ beginning: String) -> [(SearchReading.Part.Kind, String)] {
        let found = breeds.search(beginning, language: language, limit: Self.maxCount).filter { breed in
            !breed.isType && breed.key != Breed.mixedKey && breed.name(in: language).isLonger(than: beginning)
        }
        return found.map { (.breed, $0.name(in: language)) }
    }

    private func places(_ beginning: String) throws -> [(SearchReading.Part.Kind, String)] {
        let found = try gazetteer.search(beginning, language: language, limit: Self.maxCount).filter { place in
            isRead(place) && place.name?.isLonger(than: beginning) == true
        }
        return found.map { place in
            let isAlone = found.count { $0.name == place.name } == 1
            return (.place, isAlone ? place.name ?? "" : place.fullName)
        }
    }

    private func isRead(_ place: Place) -> Bool {
        place.level == .country || place.level >= .comune && place.countryCode == "IT"
            || place.level == .comune && place.population ?? 0 >= Self.cityPopulation
    }
}

/// A text for the search field.
struct SearchSuggestion: Equatable, Sendable {
    let text: String
    /// What its end is.
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

extension String {
    /// Whether the text begins with another one and goes on.
    ///
    /// - Parameter beginning: folded.
    fileprivate func isLonger(than beginning: String) -> Bool {
        let own = folded
        return own.hasPrefix(beginning) && own != beginning
    }
}

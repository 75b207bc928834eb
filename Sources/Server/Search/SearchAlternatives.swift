import Domain
import HTTP
import Pages
import SearchText
import Storage

/// A search that finds listings where the one that was asked for finds none.
struct SearchAlternative {
    /// The words, for the same search with these.
    let text: String
    let count: ListingCount
}

extension ListingQueryReader {
    /// Returns what a page tells of a search besides its listings.
    ///
    /// - Parameters:
    ///   - parameters: those of the search.
    ///   - isEmpty: whether it found nothing.
    func result(
        _ query: ListingQuery,
        _ parameters: QueryReader,
        _ language: Language,
        isEmpty: Bool
    ) throws -> SearchResult {
        var result = SearchResult(query.reading)
        guard isEmpty, let reading = query.reading, query.cursor == nil, query.photo == nil else { return result }
        result.alternatives = try alternatives(to: reading, parameters, language: language).map {
            ($0.text, $0.count.count, $0.count.isExact)
        }
        return result
    }

    private static let maxAlternatives = 3
    /// Each costs a count.
    private static let maxTries = 6
    /// The rows that a count may read, and its processor time in seconds, because up to `maxTries` are counted.
    private static let countBudget = (rows: 40, time: 0.03)
    /// A search for more parts seldom finds something without one of them.
    private static let maxParts = 4
    /// In kilometres: the circle around a town in which nothing was found.
    private static let widerKilometres = 25

    /// Returns searches like one that finds nothing: in a circle around the town, or without one of the words.
    ///
    /// - Parameter parameters: those of the search.
    func alternatives(
        to reading: SearchReading,
        _ parameters: QueryReader,
        language: Language
    ) throws -> [SearchAlternative] {
        // A microchip is looked up on a page of its own.
        guard reading.parts.count > 1, !reading.parts.contains(where: \.isMicrochip) else { return [] }
        let texts = SearchTextReader(vocabulary, finder: finder, language: language)
        let filters = try readFilters(parameters, texts, nil)
        var found: [SearchAlternative] = []
        for text in Self.texts(like: reading, language).prefix(Self.maxTries) where found.count < Self.maxAlternatives {
            var query = filters
            query.add(try texts.read(text, corrections: reading.corrections), vocabulary.breeds)
            let (rows, time) = Self.countBudget
            guard let count = try search.count(query, budget: rows, atMost: time), count.count > 0 else { continue }
            found.append(SearchAlternative(text: text, count: count))
        }
        return found
    }

    /// Returns similar texts, the most similar first.
    private static func texts(like reading: SearchReading, _ language: Language) -> [String] {
        let wider = reading.parts.compactMap { part -> String? in
            guard case .area(let area) = part.meaning, area.level <= .comune,
                area.radius ?? 0 < Double(widerKilometres) * 1000
            else { return nil }
            return reading.text(replacing: part, with: DistancePhrase.within(widerKilometres, of: area.name, language))
        }
        let shorter = reading.parts.count > Self.maxParts ? [] : reading.parts.sorted { $0.weight < $1.weight }
        // At last without several: without all details, without the colour, or without the place.
        let (place, breed) = (SearchReading.Part.placeWeight, SearchReading.Part.breedWeight)
        let kept: [(SearchReading.Part) -> Bool] = [
            { $0.weight > SearchReading.Part.textWeight }, { $0.weight >= SearchReading.Part.colourWeight },
            { $0.weight >= breed }, { $0.weight >= SearchReading.Part.colourWeight && $0.weight != place },
            { $0.weight >= breed && $0.weight != place },
        ]
        let coarse = kept.map { reading.text(of: reading.parts.filter($0)) }
        var known: Set<String> = ["", reading.text(of: reading.parts)]
        return (wider + shorter.map(reading.text(without:)) + coarse).filter { known.insert($0).inserted }
    }
}

extension SearchReading.Part {
    fileprivate static let (textWeight, colourWeight, breedWeight, placeWeight) = (1, 3, 4, 5)

    fileprivate var isMicrochip: Bool { if case .microchip = meaning { true } else { false } }

    /// How much the search changes without the part.
    fileprivate var weight: Int {
        switch meaning {
        case .statuses: 0
        case .text, .marks: Self.textWeight
        case .age, .size, .sex, .cross: 2
        case .colours: Self.colourWeight
        case .breeds, .name: Self.breedWeight
        case .area: Self.placeWeight
        case .species, .microchip, .code: 6
        }
    }
}

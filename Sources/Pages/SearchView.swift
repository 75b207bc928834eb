import Domain
import Localization
import Mustache
package import SearchText

/// The reading of a search, and similar searches.
package struct SearchResult: Sendable {
    /// How the text was read; nil if there is none.
    package var reading: SearchReading?
    /// Where nothing was found: texts that find something, with the number of listings, which is not exact if there are more.
    package var alternatives: [(text: String, count: Int, isExact: Bool)] = []

    package init(_ reading: SearchReading? = nil) { self.reading = reading }
}

/// The search field, and how its text was read.
struct SearchView: TemplateView {
    let text: String?
    /// Whether streets, houses and landmarks are suggested.
    let hasAddresses: Bool
    /// The words with the same meaning are one chip.
    let chips: [ChipView]
    /// The number of a microchip among the words.
    let microchip, lookUp: String?
    let nothing: String
    let alternatives: [LinkView]

    struct ChipView: TemplateView {
        let label, remove, removeLabel: String
        /// The same search with these words as plain words; nil if they are.
        let quote: LinkView?
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - path: of the page.
    ///   - values: the parameters of the page, of which the text is `q`.
    ///   - hasAddresses: whether streets, houses and landmarks are suggested.
    func search(
        _ result: SearchResult,
        _ path: String,
        _ values: [String: String],
        hasAddresses: Bool = false
    ) -> SearchView {
        let link = { (text: String) in self.path(path + BoardFilters.link(values.merging(["q": text]) { $1 })) }
        let number = result.reading?.microchip?.number
        return SearchView(
            text: values["q"], hasAddresses: hasAddresses,
            chips: result.reading.map { reading in reading.chips.map { chip($0, of: reading, link) } } ?? [],
            microchip: number, lookUp: number.map { localizer("search.lookUp", ["number": $0]) },
            nothing: localizer("search.nothing", ["words": values["q"] ?? ""]),
            alternatives: result.alternatives.map { one in
                let key = one.isExact ? "search.found" : "search.foundAtLeast"
                let name = localizer(key, ["words": one.text, "n": localizer.number(one.count)])
                return LinkView(name: name, href: link(one.text))
            }
        )
    }

    /// - Parameters:
    ///   - parts: with the same words, at least one.
    ///   - link: makes the address of the search for a text.
    private func chip(
        _ parts: [SearchReading.Part],
        of reading: SearchReading,
        _ link: (String) -> String
    ) -> SearchView.ChipView {
        let first = parts[0]
        let meaning = parts.map(localizer.meaning).joined(separator: ", ")
        let label =
            first.isRenamed(to: meaning)
            ? localizer("search.corrected", ["words": first.words, "meaning": meaning]) : meaning
        let key = first.words.contains(" ") ? "search.quoteAll" : "search.quote"
        return SearchView.ChipView(
            label: label, remove: link(reading.text(without: first)),
            removeLabel: localizer("search.remove", ["what": label]),
            quote: first.isPlain
                ? nil : LinkView(name: localizer(key, ["words": first.words]), href: link(reading.text(quoting: first)))
        )
    }
}

extension SearchReading {
    /// The parts, those together that have the same words: "cagnolina" is a dog and female.
    fileprivate var chips: [[Part]] {
        parts.reduce(into: []) { chips, part in
            if chips.last?.last?.range == part.range {
                chips[chips.count - 1].append(part)
            } else {
                chips.append([part])
            }
        }
    }

    var microchip: Microchip? {
        for case .microchip(let microchip) in parts.map(\.meaning) { return microchip }
        return nil
    }
}

extension SearchReading.Part {
    /// Whether a search for the words as plain ones is the same, or finds nothing.
    fileprivate var isPlain: Bool {
        switch meaning {
        case .text, .microchip: true
        default: false
        }
    }

    /// Whether the reader should see the typed words beside the meaning, because they are misspelt or another name of a breed.
    fileprivate func isRenamed(to meaning: String) -> Bool {
        if corrected != nil { return true }
        guard case .breeds = self.meaning else { return false }
        return !" \(meaning.folded)".contains(" \(words.folded)")
    }
}

import Domain
import Matching
import SearchText

/// The properties of a listing, besides breeds and places, by which searches find it: `listing.facets`.
///
/// | facet | meaning |
/// |---|---|
/// | `colour:black` | a colour of the coat |
/// | `coat:black+white` | all its colours |
/// | `age:puppy`, `age:senior` | the age that the field or the texts tell |
/// | `town:eboli` | the folded name of the town or hamlet |
/// | `name:argo` | a folded word of the name |
/// | `mark:collare rosso` | a mark, in whichever words the texts tell it |
enum ListingFacets {
    private static let colours = ColourReader()

    static func facets(_ content: ListingContent, _ location: ListingLocation) -> [String] {
        let coat = coat(content)
        let towns = [location.place, location.locality].compactMap { $0?.folded }.filter { !$0.isEmpty }
        let texts = [content[.marks], content[.collar], content[.description]].compactMap(\.self)
        let marks = MarkReader.shared.facets(in: texts)
        let ages = age(content)
        return CoatFacets.colours(coat).sorted() + (coat.isEmpty ? [] : [CoatFacets.coat(coat)])
            + marks.union(ages).sorted()
            + Set(towns).sorted().map { "town:\($0)" }
            + Set(content[.name]?.foldedWords(maxCount: 4) ?? []).sorted().map { "name:\($0)" }
    }

    /// Returns the colours that the listing tells.
    private static func coat(_ content: ListingContent) -> Set<String> {
        let coat = written(content)
        return content.species == .cat ? CoatFacets.ofCat(coat) : coat
    }

    /// Returns the colours that the texts tell: those of its colour, or of its breed ("chocolate lab"), or of its
    /// description.
    private static func written(_ content: ListingContent) -> Set<String> {
        for text in [content[.colour], content.breed].compactMap(\.self) {
            let found = colours.names(in: text)
            if !found.isEmpty { return found }
        }
        return [content[.marks], content[.description]].compactMap(\.self).lazy.map(CoatReader.shared.colours)
            .first { !$0.isEmpty } ?? []
    }

    /// In months.
    private static let (puppyUntil, seniorFrom): (UInt16, UInt16) = (12, 96)

    private static func age(_ content: ListingContent) -> [String] {
        guard let months = AgeReading.months(content[.age]) else { return [] }
        if months < puppyUntil { return ["age:\(SearchReading.Age.puppy.rawValue)"] }
        return months >= seniorFrom ? ["age:\(SearchReading.Age.senior.rawValue)"] : []
    }
}

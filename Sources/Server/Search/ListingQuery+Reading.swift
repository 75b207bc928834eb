import Domain
import SearchText
import Storage

/// Turns the words of a search into conditions.
extension ListingQuery {
    /// Adds the conditions of the words, and what fits them exactly.
    mutating func add(_ reading: SearchReading, _ breeds: Breeds) {
        self.reading = reading
        let meanings = reading.parts.map(\.meaning)
        if let kind = Self.only(meanings.compactMap { if case .species(let kind) = $0 { kind } else { nil } }) {
            if species ?? kind != kind { clauses.append(SearchClause()) }
            species = species ?? kind
        }
        let isOnly = Set(reading.parts.map(\.words)).count == 1
        let isCross = meanings.contains(.cross)
        for part in reading.parts { add(part, breeds, isOnly: isOnly, isCross: isCross) }
        sex = Self.only(meanings.compactMap { if case .sex(let sex) = $0 { sex } else { nil } })
        size = Self.only(meanings.compactMap { if case .size(let size) = $0 { size } else { nil } })
        (preference.sex, preference.size) = (sex, size)
        let coat = meanings.reduce(into: Set<String>()) { coat, meaning in
            if case .colours(let names, let match) = meaning, match != .any {
                coat.formUnion(species == .cat ? CoatFacets.ofCat(names) : names)
            }
        }
        // A single word can be a name: Bianca.
        let names = isOnly ? Set(reading.parts.map { "name:" + $0.words.folded }) : []
        if !coat.isEmpty { preference.facets.append(names.union([CoatFacets.coat(coat)])) }
        guard !isCross else { return }
        for case .breeds(let keys) in meanings { preference.facets.append(names.union(keys.map { "breed:\($0)" })) }
    }

    /// Returns the only value; nil if there are several, because whoever writes "cani e gatti" means both.
    private static func only<Value: Hashable>(_ values: [Value]) -> Value? {
        Set(values).count == 1 ? values.first : nil
    }

    /// - Parameters:
    ///   - isOnly: whether there is no other part. A single word can be the name of an animal.
    ///   - isCross: whether another part says that the animal is a cross.
    private mutating func add(_ part: SearchReading.Part, _ breeds: Breeds, isOnly: Bool, isCross: Bool) {
        let typed = part.corrected ?? part.words.folded
        switch part.meaning {
        case .species, .sex, .size: break
        case .statuses(let wanted): preference.statuses.formUnion(wanted)
        case .age(let age): clauses.append(SearchClause(facets: ["age:\(age.rawValue)"]))
        case .breeds(let keys):
            let kinds = isCross ? ["cross"] : ["breed", "cross"]
            let facets = kinds.flatMap { kind in keys.map { "\(kind):\($0)" } } + ["name:\(typed)"]
            // An abbreviation may be the beginning of a word that is still being typed: "coll".
            clauses.append(SearchClause(facets: Set(facets), phrases: [typed]))
        case .cross:
            clauses.append(SearchClause(facets: ["breed:\(Domain.Breed.mixedKey)", "cross:\(Domain.Breed.mixedKey)"]))
        case .colours(let names, let match):
            add(names, match, typed, isOnly: isOnly, isBreed: breeds.reader.isName([typed]))
        case .name(let name): clauses.append(SearchClause(facets: ["name:\(name)"]))
        case .area(let area): add(area, typed, isOnly: isOnly)
        // Whoever has the number looks it up on its own page. Searches do not tell whether a listing has it.
        case .microchip: clauses.append(SearchClause())
        case .code(let code): self.code = code
        case .marks(let names):
            // A word that is still being typed may be the beginning of another one.
            let phrases = typed.contains(" ") ? [] : [typed]
            clauses.append(SearchClause(facets: Set(names.map { "mark:\($0)" }), phrases: phrases))
        case .text(let words):
            clauses.append(SearchClause(facets: ["place:\(words)", "name:\(words)"], phrases: [words]))
        }
    }

    private mutating func add(
        _ names: Set<String>,
        _ match: SearchReading.ColourMatch,
        _ typed: String,
        isOnly: Bool,
        isBreed: Bool
    ) {
        // Bianca and Nero are names as well, and "soriano" is written as a breed.
        let phrases = isOnly || isBreed ? [typed] : []
        // The third colour of a cat with three is red.
        let names = species == .cat ? CoatFacets.ofCat(names) : names
        let facets = CoatFacets.clauses(names)
        switch match {
        case .all: clauses += facets.map { SearchClause(facets: $0.union(["name:\(typed)"]), phrases: phrases) }
        case .any:
            clauses.append(SearchClause(facets: facets.reduce(["name:\(typed)"]) { $0.union($1) }, phrases: phrases))
            preference.facets.append(Set(names.map { CoatFacets.coat([$0]) } + [CoatFacets.coat(names)]))
        case .exactly where !names.contains(CoatFacets.white):
            clauses.append(SearchClause(facets: [CoatFacets.coat(names)], phrases: phrases))
        case .exactly: clauses += facets.map { SearchClause(facets: $0, phrases: phrases) }
        }
    }

    private mutating func add(_ area: NamedArea, _ typed: String, isOnly: Bool = false) {
        if let radius = area.radius, circle == nil {
            circle = Circle(centre: area.centre, radius: radius)
            return
        }
        if let code = area.countryCode {
            country = code
            // The index of areas finds the listings of a small country; all others would have to be read first.
            box = box ?? area.extent
            return
        }
        let kind = area.level <= .comune ? "town" : "place"
        let facets = Set(area.places.map { "\(kind):\($0)" })
        // Many names of animals are those of towns.
        let names: Set<String> = area.isBare ? ["name:\(typed)"] : []
        clauses.append(SearchClause(facets: facets.union(names), phrases: area.isBare && isOnly ? [typed] : []))
        if area.isBare { preference.facets.append(facets) } else { box = box ?? area.extent }
    }

    /// Restricts the search to a town or an area.
    mutating func restrict(to area: NamedArea) {
        if area.radius != nil && circle == nil || area.countryCode != nil {
            add(area, "")
        } else {
            places = area.places
        }
    }
}

package import Domain
package import SearchText

/// How the words of a search were read, for readers.
extension Localizer {
    /// Breeds whose names are all shown. Of more, the words and the number are.
    private static let maxBreeds = 3

    /// Returns what a part means, for example "Labrador Retriever", "within 15 km of Eboli" or "“red collar”".
    package func meaning(of part: SearchReading.Part) -> String {
        let words = part.corrected ?? part.words
        switch part.meaning {
        case .species(let species): return word(species)
        case .statuses(let statuses): return alternatives(statuses.map(word))
        case .sex(let sex): return word(sex)
        case .size(let size): return word(size)
        case .age(let age): return word(age)
        case .breeds(let keys): return breeds(keys, words)
        case .cross: return texts("search.cross")
        case .colours(let names, let match):
            let words = names.map(colour).sorted()
            return match == .any ? alternatives(words) : all(words)
        case .area(let area): return self.area(area)
        case .microchip(let microchip): return texts("search.microchip", ["number": microchip.number])
        case .code(let code): return texts("search.code", ["code": code.grouped])
        case .name(let name): return texts("search.name", ["name": name.prefix(1).uppercased() + name.dropFirst()])
        case .marks, .text: return texts("search.words", ["words": words])
        }
    }

    private func breeds(_ keys: [String], _ words: String) -> String {
        guard keys.count > Self.maxBreeds else { return alternatives(keys.compactMap(breed(key:))) }
        return texts("search.breeds", ["words": words, "n": number(keys.count)])
    }

    private func area(_ area: NamedArea) -> String {
        if let radius = area.radius {
            return texts("search.within", ["distance": distance(radius), "place": area.name])
        }
        return area.level == .province ? texts("search.province", ["place": area.name]) : area.name
    }

    package func word(_ species: Species) -> String { texts("species.\(species.rawValue)") }

    package func word(_ status: Listing.Status) -> String { self.status(status).lowercased() }

    package func word(_ sex: Listing.Sex) -> String { texts("sex.\(sex.rawValue)").lowercased() }

    package func word(_ size: Listing.Size) -> String { texts("search.size.\(size.rawValue)") }

    package func word(_ age: SearchReading.Age) -> String { texts("search.age.\(age.rawValue)") }

    /// - Parameter name: one of `ColourReader.names`.
    package func colour(_ name: String) -> String { texts("search.colour.\(name)") }
}

import Domain
import Formats
import HTTP
import OpenAPI
import SearchText

extension SearchReading.Part {
    /// The kind as clients see it.
    var kind: Kind {
        switch meaning {
        case .species: .species
        case .statuses: .status
        case .sex: .sex
        case .size: .size
        case .age: .age
        case .breeds: .breed
        case .cross: .cross
        case .colours: .colour
        case .area: .place
        case .microchip: .microchip
        case .code: .code
        case .name: .name
        case .marks: .mark
        case .text: .text
        }
    }

    enum Kind: String, CaseIterable {
        case species, status, sex, size, age, breed, cross, colour, place, microchip, code, name, mark, text
    }

    /// The meanings of the words: keys, or texts. Empty where the kind says all.
    var values: [String] {
        switch meaning {
        case .species(let species): [species.rawValue]
        case .statuses(let statuses): statuses.map(\.rawValue)
        case .sex(let sex): [sex.rawValue]
        case .size(let size): [size.rawValue]
        case .age(let age): [age.rawValue]
        case .breeds(let keys): keys
        case .cross, .microchip: []
        case .code(let code): [code.text]
        case .colours(let names, _): names.sorted()
        case .area(let area): [area.name]
        case .name(let name): [name]
        case .marks(let names): names
        case .text(let words): [words]
        }
    }

    /// In metres.
    var radius: Double? { if case .area(let area) = meaning { area.radius } else { nil } }
}

extension JSONWriter {
    /// Writes how the words of a search were read.
    mutating func reading(_ reading: SearchReading) {
        array("reading", reading.parts) { json, part in
            json.object { json in
                json.field("kind", part.kind.rawValue)
                json.array("values", part.values) { $0.string($1) }
                json.field("words", part.words)
                if let corrected = part.corrected { json.field("corrected", corrected) }
                if let radius = part.radius { json.field("radius", radius) }
            }
        }
    }

    /// Writes searches like one that found nothing.
    mutating func alternatives(_ alternatives: [SearchAlternative]) {
        array("alternatives", alternatives) { json, one in
            json.object { json in
                json.field("q", one.text)
                json.field("count", one.count.count)
                json.field("exact", one.count.isExact)
            }
        }
    }
}

extension Schema {
    static let searchReading = Schema.list(
        of: .object(
            [
                "kind": .choice(SearchReading.Part.Kind.self),
                "values": .list(of: .text()).described(
                    "Keys of the API, or texts; any of the breeds, all of the colours."),
                "words": .text().described("As they were typed."),
            ],
            optional: [
                "corrected": .text().described("The words that were read in place of misspelt ones."),
                "radius": .number().described("Metres around the place."),
            ]
        )
    ).described("How `q` was read. Words that say nothing are left out.")

    static let searchAlternatives = Schema.list(
        of: .object([
            "q": .text(), "count": .integer(atLeast: 0),
            "exact": .flag.described("False where there are at least so many."),
        ])
    ).described("Where nothing was found: texts like `q` that find something with the same other parameters.")
}

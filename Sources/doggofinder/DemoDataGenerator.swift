import Domain
import Foundation
import Gazetteer
import Storage

/// Generates random listings with realistic frequencies.
struct DemoDataGenerator {
    private static let names = [
        "Luna", "Max", "Bella", "Rocky", "Kira", "Leo", "Zeus", "Maya", "Birba", "Argo", "Stella", "Thor", "Nina",
        "Billy",
        "Lilly", "Toby", "Mia", "Ettore", "Lola", "Charlie", "Molly", "Pippo", "Chicco", "Dafne", "Lucky", "Sole",
        "Bruno",
        "Trilly", "Whisky", "Neve",
    ]
    private static let colours = Weighted(DrawnDog.coats.map { ($0.name, $0.weight) })
    private static let statuses = Weighted<Listing.Status>([
        (.lost, 40), (.found, 15), (.sighted, 15), (.reunited, 25), (.closed, 5),
    ])
    private static let stories = [
        "Spaventato dai fuochi d'artificio. È timido: non rincorretelo, chiamateci.",
        "Scappato dal cancello rimasto aperto. Risponde al suo nome e ama i bocconcini.",
        "Visto l'ultima volta al parco, correva verso la stazione.",
        "Ha bisogno di una medicina ogni giorno. Aiutateci a trovarlo.",
        "Molto docile, si lascia avvicinare. Porta una medaglietta.",
        "Vagava lungo la strada, un po' stanco ma in buona salute.",
    ]
    private static let collars = ["rosso", "blu con medaglietta", "verde", "di cuoio", "giallo, catarifrangente"]
    /// The ages of listings in days. Open listings expire after 90 days.
    private static let openDays = 85.0
    private static let closedDays = 365.0

    private let gazetteer: Gazetteer
    private let towns: Weighted<Place>
    private let table: Breeds
    private let breeds: Weighted<Breed>
    private let end: Timestamp
    private var random: SplitMix64
    /// The reunions of the drafts.
    private(set) var reunions: [ReunionStore.Past] = []
    /// An animal that came home because somebody found it: the next draft is the finder's.
    private var expected: ListingStore.Draft?

    /// Creates a generator whose newest listings have the time `end`.
    init(seed: UInt64, gazetteer: Gazetteer, breeds: Breeds, end: Timestamp = .now) {
        self.gazetteer = gazetteer
        self.end = end
        towns = Weighted(gazetteer.italianPlaces().map { ($0, Double(max(50, $0.population ?? 0))) })
        table = breeds
        self.breeds = Weighted(breeds.all.filter { $0.species == .dog }.map { ($0, Double($0.frequency)) })
        random = SplitMix64(state: seed)
    }

    mutating func draft() throws -> ListingStore.Draft {
        if let lost = expected {
            expected = nil
            return try finderDraft(of: lost)
        }
        let draft = try randomDraft()
        if draft.content.status == .reunited, let created = draft.createdAt {
            // Most animals come home within days.
            let days = -6 * log(1 - Double.random(in: 0..<1, using: &random))
            reunions.append(ReunionStore.Past(lost: draft.id, at: min(end, created.adding(seconds: days * 86_400))))
            if Int.random(in: 0..<3, using: &random) == 0 { expected = draft }
        }
        return draft
    }

    /// Returns the listing of whoever found the animal of the last reunion, most within a few kilometres.
    private mutating func finderDraft(of lost: ListingStore.Draft) throws -> ListingStore.Draft {
        let metres = 800 * exp(1.2 * (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot() - 1)
        let point = point(metres, from: lost.location.coordinate)
        var content = lost.content
        content.name = nil
        content[.description] = Self.stories.last
        let location = ListingLocation(
            coordinate: point,
            approximate: false,
            named: try gazetteer.place(at: point, language: .italian)
        )
        let last = reunions.count - 1
        let id = UUID(using: &random)
        let created = reunions[last].at.adding(seconds: -43_200)
        content.lastSeenAt = created
        reunions[last].found = id
        return ListingStore.Draft(id: id, content: content, location: location, createdAt: created)
    }

    private mutating func randomDraft() throws -> ListingStore.Draft {
        var content = ListingContent()
        content.status = Self.statuses.pick(&random)
        let breed = breeds.pick(&random)
        content.breed = breed.italianName
        content.breedKey = breed.key
        content.readBreeds(table)
        // Finders of dogs seldom know their names.
        if content.status == .lost || Int.random(in: 0..<4, using: &random) == 0 {
            content.name = Self.names.randomElement(using: &random)
        }
        content[.colour] = Self.colours.pick(&random)
        content[.description] = Self.stories.randomElement(using: &random)
        if Bool.random(using: &random) { content[.collar] = Self.collars.randomElement(using: &random) }
        content.sex = Listing.Sex.allCases.randomElement(using: &random)
        content.size = Listing.Size.allCases.randomElement(using: &random)
        let point = point(near: towns.pick(&random))
        let location = ListingLocation(
            coordinate: point,
            approximate: false,
            named: try gazetteer.place(at: point, language: .italian)
        )
        // More listings are new than old.
        let share = pow(Double.random(in: 0..<1, using: &random), 2)
        let days = share * (content.status?.isOpen == true ? Self.openDays : Self.closedDays)
        let created = end.adding(seconds: -days * 86_400)
        content.lastSeenAt = created.adding(seconds: -Double.random(in: 0..<43_200, using: &random))
        return ListingStore.Draft(
            id: UUID(using: &random),
            content: content,
            location: location,
            createdAt: created
        )
    }

    /// Returns invented points of interest in the largest towns.
    mutating func pointsOfInterest() -> [PointOfInterest] {
        let names: [PointOfInterest.Category: [String]] = [
            .veterinary: ["Ambulatorio veterinario San Rocco", "Clinica veterinaria La Zampa"],
            .petShop: ["Coda & Co.", "L'isola dei cuccioli"], .animalShelter: ["Rifugio Argo", "Canile comunale"],
            .dogPark: ["Area cani"],
        ]
        let largest = gazetteer.italianPlaces().filter { $0.locality == nil }
            .sorted { ($0.population ?? 0) > ($1.population ?? 0) }.prefix(40)
        return largest.flatMap { town in
            PointOfInterest.Category.allCases.compactMap { category in
                names[category].map { names in
                    var item = PointOfInterest(category: category, coordinate: point(near: town))
                    item.name = names.randomElement(using: &random)
                    item.city = town.comune
                    // Nobody has such a number: those of subscribers do not begin with 0.
                    if [.veterinary, .animalShelter].contains(category) { item.phone = "+39 02 0000 0001" }
                    return item
                }
            }
        }
    }

    /// Most points are near the centre, some in the surroundings. Larger towns have a larger radius.
    private mutating func point(near town: Place) -> Coordinate {
        let core = max(300, 350 * pow(Double(town.population ?? 0) / 1000, 0.35))  // metres
        let spread = Double.random(in: 0..<1, using: &random) < 0.8 ? core : 3 * core
        let distance = spread * (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
        return point(distance, from: town.coordinate)
    }

    /// Returns a point at a distance in metres, in a random direction.
    private mutating func point(_ distance: Double, from start: Coordinate) -> Coordinate {
        let angle = Double.random(in: 0..<2 * .pi, using: &random)
        let lat = start.lat + distance * sin(angle) / 111_200
        let lon = start.lon + distance * cos(angle) / (111_200 * cos(start.lat * .pi / 180))
        func rounded(_ degrees: Double) -> Double { (degrees * 1e6).rounded() / 1e6 }
        return Coordinate(lon: rounded(lon), lat: rounded(lat)) ?? start
    }
}

/// Picks values at random by weight.
struct Weighted<Value: Sendable>: Sendable {
    private let values: [Value]
    private let sums: [Double]

    init(_ entries: [(Value, Double)]) {
        values = entries.map(\.0)
        var sum = 0.0
        sums = entries.map { entry in
            sum += entry.1
            return sum
        }
    }

    func pick(_ random: inout SplitMix64) -> Value {
        let wanted = Double.random(in: 0..<(sums.last ?? 1), using: &random)
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] <= wanted { low = middle + 1 } else { high = middle }
        }
        return values[low]
    }
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014). It produces the same numbers on
/// every machine.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension UUID {
    /// Creates a UUID of version 4 from the generator's bits.
    fileprivate init(using random: inout SplitMix64) {
        let (high, low) = (random.next(), random.next())
        func byte(_ number: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: number >> (8 * index)) }
        self.init(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                byte(high, 6) & 0x0F | 0x40, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1), byte(low, 2),
                byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            )
        )
    }
}

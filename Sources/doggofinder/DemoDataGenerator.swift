import Domain
import Foundation
import Storage

/// Generates random listings with realistic frequencies.
struct DemoDataGenerator {
    private static let coats = Weighted(DrawnDog.coats.enumerated().map { ($0, $1.weight) })
    private static let statuses = Weighted<Listing.Status>([
        (.lost, 40), (.found, 15), (.sighted, 15), (.reunited, 25), (.closed, 5),
    ])

    private let area: any DemoArea
    private let texts: DemoTexts
    private let language: Language
    private let table: Breeds
    private let breeds: Weighted<Breed>
    private let end: Timestamp
    private var random: SplitMix64
    /// The reunions of the drafts.
    private(set) var reunions: [ReunionStore.Past] = []
    /// An animal that came home because somebody found it: the next draft is the finder's.
    private var expected: ListingStore.Draft?

    /// Creates a generator whose newest listings have the time `end`.
    init(seed: UInt64, area: any DemoArea, breeds: Breeds, _ language: Language, end: Timestamp = .now) throws {
        (self.area, self.language, self.end) = (area, language, end)
        texts = try DemoTexts(language)
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
        let point = lost.location.coordinate.point(metres, &random)
        var content = lost.content
        content.name = nil
        content[.description] = texts.stories.last
        // Nobody finds a dog in the sea.
        let spot = try area.spot(at: point)
        if let spot { content.whereabouts = spot.street }
        let last = reunions.count - 1
        let id = UUID(using: &random)
        let created = reunions[last].at.adding(seconds: -43_200)
        content.lastSeenAt = created
        reunions[last].found = id
        let location = spot?.location ?? lost.location
        return ListingStore.Draft(id: id, content: content, location: location, createdAt: created)
    }

    private mutating func randomDraft() throws -> ListingStore.Draft {
        var content = ListingContent()
        content.status = Self.statuses.pick(&random)
        let breed = breeds.pick(&random)
        content.breed = breed.name(in: language)
        content.breedKey = breed.key
        content.readBreeds(table)
        // Finders of dogs seldom know their names.
        if content.status == .lost || Int.random(in: 0..<4, using: &random) == 0 {
            content.name = texts.names.randomElement(using: &random)
        }
        content[.colour] = texts.coats[Self.coats.pick(&random)]
        content[.description] = texts.stories.randomElement(using: &random)
        if Bool.random(using: &random) { content[.collar] = texts.collars.randomElement(using: &random) }
        content.sex = Listing.Sex.allCases.randomElement(using: &random)
        content.size = Listing.Size.allCases.randomElement(using: &random)
        let spot = try area.spot(&random)
        content.whereabouts = spot.street
        // More listings are new than old.
        let share = pow(Double.random(in: 0..<1, using: &random), 2)
        let days = share * (content.status?.isOpen == true ? area.openDays : area.closedDays)
        let created = end.adding(seconds: -days * 86_400)
        content.lastSeenAt = created.adding(seconds: -Double.random(in: 0..<43_200, using: &random))
        return ListingStore.Draft(
            id: UUID(using: &random),
            content: content,
            location: spot.location,
            createdAt: created
        )
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
        return values[sums.dropLast().partitioningIndex { $0 > wanted }]
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

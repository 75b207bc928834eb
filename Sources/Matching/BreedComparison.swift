import Foundation

/// How the breeds of two listings compare.
struct BreedComparison {
    private(set) var level: Int
    /// That of the rarest shared breed, in bits; 0 if none is shared.
    private(set) var rarity: Float = 0

    var isShared: Bool { (Level.Breed.sameWords...Level.Breed.sharesOne).contains(level) }

    init(_ lost: MatchSubject, _ found: MatchSubject, rarity table: [Float]) {
        guard lost.breeds[0] > 0, found.breeds[0] > 0 else {
            level = Level.Breed.unsaid
            return
        }
        var shared = 0
        for index in 0..<4 {
            let breed = lost.breeds[index]
            guard breed > 0 else { break }
            guard any(found.breeds .== breed) else { continue }
            shared += 1
            if Int(breed) <= table.count { rarity = max(rarity, table[Int(breed) - 1]) }
        }
        level = shared > 0 ? Self.sharedLevel(shared, lost, found) : Self.otherLevel(lost, found)
    }

    private static func sharedLevel(_ shared: Int, _ lost: MatchSubject, _ found: MatchSubject) -> Int {
        if shared == count(lost.breeds), shared == count(found.breeds) {
            if lost.breedText == found.breedText, lost.breedText != 0 { return Level.Breed.sameWords }
            return lost.isMixed == found.isMixed ? Level.Breed.sameSet : Level.Breed.sameSetOneMixed
        }
        return lost.breeds[0] == found.breeds[0] ? Level.Breed.sameFirst : Level.Breed.sharesOne
    }

    private static func otherLevel(_ lost: MatchSubject, _ found: MatchSubject) -> Int {
        if lost.variants & found.variants != 0 { return Level.Breed.variant }
        if lost.alike & found.alike != 0 { return Level.Breed.lookAlike }
        return lost.isMixed || found.isMixed ? Level.Breed.otherMixed : Level.Breed.other
    }

    private static func count(_ breeds: SIMD4<UInt16>) -> Int {
        breeds[1] == 0 ? 1 : breeds[2] == 0 ? 2 : breeds[3] == 0 ? 3 : 4
    }
}

/// The breeds that a model saw on photos, as a second reading where the text of a side names none.
struct PhotoComparison {
    /// The breeds from a model weigh half, because it errs in the same way on similar dogs.
    private static let share = 0.5
    private(set) var level = 0
    private(set) var bits = 0.0

    init(_ lost: MatchSubject, _ found: MatchSubject, _ weights: [Double]) {
        guard !lost.photoBreeds.isEmpty || !found.photoBreeds.isEmpty else { return }
        let (lostSeen, foundSeen) = (lost.seenBreeds, found.seenBreeds)
        guard !lostSeen.isEmpty, !foundSeen.isEmpty else { return }
        var (known, ratio) = (0.0, 0.0)
        for left in lostSeen {
            for right in foundSeen {
                let probability = Double(left.probability * right.probability)
                known += probability
                ratio += probability * exp2(weights[Self.level(left, right)])
            }
        }
        // An animal of unknown breed could be of any breed, which says nothing.
        bits = Self.share * log2(ratio + max(0, 1 - known))
        level = bits > 0.3 ? 1 : bits < -0.3 ? 3 : 2
    }

    private static func level(_ lost: PhotoBreed, _ found: PhotoBreed) -> Int {
        if lost.breed == found.breed { return Level.Breed.sameFirst }
        if lost.variants & found.variants != 0 { return Level.Breed.variant }
        if lost.alike & found.alike != 0 { return Level.Breed.lookAlike }
        return Level.Breed.otherMixed
    }
}

extension MatchSubject {
    /// The first breed of the text, or else those of the photos.
    fileprivate var seenBreeds: [PhotoBreed] {
        breeds[0] == 0
            ? photoBreeds : [PhotoBreed(breed: breeds[0], probability: 1, variants: variants, alike: alike)]
    }
}

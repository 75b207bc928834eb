import Domain
import Foundation

/// The groups of breeds that people take for one another, as bits for each breed.
struct BreedKin: Sendable {
    let variants: [UInt64]
    let alike: [UInt64]

    init(positions: [String: UInt16]) {
        var masks: [Substring: [UInt64]] = [:]
        var counts: [Substring: UInt64] = [:]
        for row in Bundle.module.table("breed-kin").rows {
            let bit: UInt64 = 1 << counts[row[0], default: 0]
            counts[row[0], default: 0] += 1
            for key in row[1].split(separator: " ") {
                guard let position = positions[String(key)] else { continue }
                masks[row[0], default: Array(repeating: 0, count: positions.count)][Int(position)] |= bit
            }
        }
        let none = [UInt64](repeating: 0, count: positions.count)
        (variants, alike) = (masks["variant"] ?? none, masks["alike"] ?? none)
    }
}

/// The usual weights of breeds.
struct BreedWeights: Sendable {
    private var byBreed: [UInt16: Float] = [:]

    init(positions: [String: UInt16]) {
        for row in Bundle.module.table("breed-weights").rows {
            guard let position = positions[String(row[0])], let kilograms = Float(row[1]) else { continue }
            byBreed[position] = log2(kilograms)
        }
    }

    /// The binary logarithm of the usual weight of crosses of these breeds; 0 if none is known.
    func usual(_ breeds: [UInt16]) -> Float {
        let known = breeds.compactMap { byBreed[$0] }
        return known.isEmpty ? 0 : known.reduce(0, +) / Float(known.count)
    }
}

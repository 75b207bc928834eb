import Domain
import Foundation

/// The vectors of the photos of a listing, each with its cosines to the usual vectors of breeds.
package struct PhotoTraits: Equatable, Sendable {
    static let dimensions = 128
    /// The vectors of `photo-breeds.bin`: the mean of 22 photos of each label of the model.
    static let breedCount = 74
    /// The bytes of one photo: the vector, and the cosines, of which 0 is -127 and 1 is 127.
    static let stride = dimensions + breedCount
    /// A listing with many photos is compared by the first ones.
    static let maxPhotos = 3

    /// Those of all photos, because a search reads those of tens of thousands of listings.
    private(set) var bytes: [Int8] = []

    package var count: Int { bytes.count / Self.stride }

    package init() {}

    /// Returns nil if the bytes are not those of `encoded`.
    package init?(encoded bytes: UnsafeRawBufferPointer) {
        guard bytes.count.isMultiple(of: Self.stride), bytes.count <= Self.maxPhotos * Self.stride else { return nil }
        // A map of each byte took a seventh of the time of a search.
        self.bytes = Array(unsafeUninitializedCapacity: bytes.count) { to, count in
            UnsafeMutableRawBufferPointer(to).copyMemory(from: bytes)
            count = bytes.count
        }
    }

    package var encoded: [UInt8] { bytes.map(UInt8.init(bitPattern:)) }

    fileprivate mutating func append(_ vector: [Int8], _ cosines: [Float]) {
        bytes += vector
        bytes += cosines.map { Int8((max(0, min(1, $0)) * 254).rounded() - 127) }
    }

    /// Returns 254 times the cosine.
    static func cosine(_ byte: Int8) -> Int { Int(byte) + 127 }
}

/// Compares photos by vectors of the bundled model. See the decision "Likeness of photos in matches".
package struct PhotoPrototypes: Sendable {
    /// The model, and its version, whose vectors are compared.
    package static let model = (id: "dog-breeds", version: "5")

    private let vectors: [[Int8]]

    static let bytes = Bundle.module.bytes(of: "Tables/photo-breeds.bin")

    init() {
        let all = Self.bytes.map(Int8.init(bitPattern:))
        precondition(all.count == PhotoTraits.breedCount * PhotoTraits.dimensions, "photo-breeds.bin is cut off")
        vectors = (0..<PhotoTraits.breedCount).map { breed in
            Array(all[breed * PhotoTraits.dimensions..<(breed + 1) * PhotoTraits.dimensions])
        }
    }

    /// Leaves out vectors of other sizes.
    func traits(of photos: [[Int8]]) -> PhotoTraits {
        var traits = PhotoTraits()
        for photo in photos.filter({ $0.count == PhotoTraits.dimensions }).prefix(PhotoTraits.maxPhotos) {
            traits.append(photo, vectors.map { cosine(photo, $0) })
        }
        return traits
    }
}

/// Weighs how much the photos of two listings resemble each other. The resemblance of their breeds does not count again.
struct LikenessComparison {
    private(set) var level = 0
    private(set) var bits = 0.0

    // The constants of a logistic regression on pairs of photos of one dog and of two dogs of one breed, tempered for photos of
    // other days and light.
    private static let (intercept, slope) = (-3.93, 9.81)
    /// The best of several pairs is higher by chance.
    private static let correctionOfPairs = 0.125
    /// Natural logarithms. A photo from behind, or of a puppy, resembles no other.
    private static let (least, most) = (-2.0, 4.6)

    init(_ lost: MatchSubject, _ found: MatchSubject) {
        // No cats were measured.
        guard lost.photos.count > 0, found.photos.count > 0, lost.species == .dog, found.species == .dog else { return }
        let likeness = Self.likeness(lost.photos, found.photos)
        let pairs = Double(lost.photos.count * found.photos.count)
        let odds = Self.intercept + Self.slope * (likeness - Self.correctionOfPairs * log(pairs))
        bits = max(Self.least, min(Self.most, odds)) / log(2)
        level = bits > 0.5 ? 1 : bits < -0.5 ? 3 : 2
    }

    /// Estimates the bits of a pair of photos, except for a constant: two vectors at an angle differ in the sign of that share of
    /// half a turn.
    static func bits(signsThatDiffer count: Int) -> Double {
        slope / log(2) * cos(.pi * Double(count) / Double(PhotoTraits.dimensions))
    }

    /// The greatest likeness of a pair beyond the breed that both resemble most: the partial correlation
    /// (s - c c') / sqrt((1 - c^2)(1 - c'^2)) of the cosine s of both vectors, and of those c and c' to that breed's vector.
    static func likeness(_ lost: PhotoTraits, _ found: PhotoTraits) -> Double {
        lost.bytes.withUnsafeBufferPointer { lost in
            found.bytes.withUnsafeBufferPointer { found in
                var best = -1.0
                for one in stride(from: 0, to: lost.count, by: PhotoTraits.stride) {
                    for other in stride(from: 0, to: found.count, by: PhotoTraits.stride) {
                        best = max(best, pair(photo(at: one, of: lost), photo(at: other, of: found)).likeness)
                    }
                }
                return best
            }
        }
    }

    /// The cosine and the likeness of the first photos.
    static func pair(_ one: PhotoTraits, _ other: PhotoTraits) -> (cosine: Double, likeness: Double) {
        one.bytes.withUnsafeBufferPointer { one in other.bytes.withUnsafeBufferPointer { pair(one, $0) } }
    }

    private static func photo(at start: Int, of traits: UnsafeBufferPointer<Int8>) -> UnsafeBufferPointer<Int8> {
        UnsafeBufferPointer(rebasing: traits[start..<start + PhotoTraits.stride])
    }

    private static func pair(
        _ one: UnsafeBufferPointer<Int8>,
        _ other: UnsafeBufferPointer<Int8>
    ) -> (cosine: Double, likeness: Double) {
        let vectors = 0..<PhotoTraits.dimensions
        let (own, others) = (UnsafeBufferPointer(rebasing: one[vectors]), UnsafeBufferPointer(rebasing: other[vectors]))
        let lengths = dot(own, own) * dot(others, others)
        guard lengths > 0 else { return (0, -1) }
        let cosine = Double(dot(own, others) / lengths.squareRoot())
        var (left, right, most) = (0, 0, Int.min)
        for index in PhotoTraits.dimensions..<PhotoTraits.stride {
            let (c, d) = (PhotoTraits.cosine(one[index]), PhotoTraits.cosine(other[index]))
            if c * d > most { (left, right, most) = (c, d, c * d) }
        }
        let (c, d) = (Double(left) / 254, Double(right) / 254)
        // Rounded cosines can be 1.
        let rest = max(0.01, (1 - c * c) * (1 - d * d)).squareRoot()
        return (cosine, max(-1, min(1, (cosine - c * d) / rest)))
    }
}

private func dot(_ one: UnsafeBufferPointer<Int8>, _ other: UnsafeBufferPointer<Int8>) -> Float {
    var sum: Int32 = 0
    for index in 0..<PhotoTraits.dimensions { sum &+= Int32(one[index]) &* Int32(other[index]) }
    return Float(sum)
}

/// The cosine of two vectors of `PhotoTraits.dimensions`; 0 if one is zero.
func cosine(_ one: [Int8], _ other: [Int8]) -> Float {
    let product = one.withUnsafeBufferPointer { one in other.withUnsafeBufferPointer { dot(one, $0) } }
    let lengths = one.withUnsafeBufferPointer { dot($0, $0) } * other.withUnsafeBufferPointer { dot($0, $0) }
    return lengths > 0 ? product / lengths.squareRoot() : 0
}

import Domain
import Foundation
import Testing

@testable import Matching

@Suite("Likeness of photos in matches")
struct LikenessTests {
    /// Vectors of length 300, as the bundled model makes them.
    private static func vector(_ seed: UInt64, near base: [Int8]? = nil, noise: Double = 1) -> [Int8] {
        var state = seed
        let values = (0..<128).map { index in
            var sum = 0.0
            for _ in 0..<6 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                sum += Double(state >> 40) / Double(1 << 24) - 0.5
            }
            return Double(base?[index] ?? 0) / 300 + noise * sum / 8
        }
        let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return values.map { Int8(max(-127, min(127, (300 * $0 / length).rounded()))) }
    }

    private static func cosine(_ one: [Int8], _ other: [Int8]) -> Double {
        func dot(_ a: [Int8], _ b: [Int8]) -> Double { zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) } }
        return dot(one, other) / (dot(one, one) * dot(other, other)).squareRoot()
    }

    /// The formula of the decision, for one pair, with cosines that are not rounded.
    private static func partial(_ one: [Int8], _ other: [Int8]) -> Double {
        let all = PhotoPrototypes.bytes.map(Int8.init(bitPattern:))
        let breeds = (0..<74).map { breed -> (Double, Double) in
            let prototype = Array(all[breed * 128..<(breed + 1) * 128])
            return (cosine(one, prototype), cosine(other, prototype))
        }
        let (c, d) = breeds.max { $0.0 * $0.1 < $1.0 * $1.1 } ?? (0, 0)
        return (cosine(one, other) - c * d) / ((1 - c * c) * (1 - d * d)).squareRoot()
    }

    private func evidence(_ lost: [[Int8]], _ found: [[Int8]], _ species: Species = .dog) throws -> Evidence {
        try Subjects.evidence(
            .likeness,
            { ($0.photoVectors, $0.species) = (lost, species) },
            { ($0.photoVectors, $0.species) = (found, species) }
        )
    }

    @Test("The likeness is the partial correlation beyond the breed, within the rounding of the cosines")
    func formula() throws {
        let breed = PhotoPrototypes.bytes.prefix(128).map(Int8.init(bitPattern:))
        for seed in UInt64(1)...40 {
            let one = Self.vector(seed, near: breed, noise: 0.5)
            let other = Self.vector(seed + 100, near: seed % 2 == 0 ? one : breed, noise: 0.4)
            let prototypes = PhotoPrototypes()
            let found = LikenessComparison.likeness(prototypes.traits(of: [one]), prototypes.traits(of: [other]))
            #expect(abs(found - Self.partial(one, other)) < 0.03)
        }
    }

    @Test("The best pair counts, less for many pairs, and never without bounds")
    func weights() throws {
        let (one, other) = (Self.vector(1), Self.vector(2))
        let same = try evidence([one], [one])
        #expect(same.level == "alike" && abs(same.bits - 4.6 / log(2)) < 0.01)
        let opposite = try evidence([one], [one.map { -$0 }])
        #expect(opposite.level == "different" && abs(opposite.bits + 2 / log(2)) < 0.01)
        let near = Self.vector(3, near: one, noise: 1)
        let (single, several) = (try evidence([one], [near]), try evidence([one, other], [near, other.map { -$0 }]))
        #expect(several.bits < single.bits)
    }

    @Test("Without photos on both sides, for other animals, and for vectors of other sizes, it says nothing")
    func unsaid() throws {
        let vector = Self.vector(1)
        for found in [
            try evidence([], [vector]), try evidence([vector], []), try evidence([vector], [vector], .cat),
            try evidence([vector], [Array(vector.dropLast())]),
        ] { #expect(found.level == "unsaid" && found.bits == 0) }
        // A vector of zeros is no direction.
        #expect(try !evidence([vector], [Array(repeating: 0, count: 128)]).bits.isNaN)
    }

    @Test("Probabilities of pairs are compared with the shares of pairs of one animal")
    func calibration() throws {
        let clear = (0..<12).map { (animal: "\($0 / 2)", vector: Self.vector(UInt64($0 / 2 + 1))) }
        let error = try #require(PhotoCalibration(clear).error)
        #expect((0..<0.05).contains(error))
        // Every other pair of equal photos is said to be of two animals.
        let wrong = (0..<12).map { (animal: "\($0 / 2)", vector: Self.vector(UInt64($0 / 4 + 1))) }
        #expect(try #require(PhotoCalibration(wrong).error) > error + 0.1)
        #expect(PhotoCalibration([]).error == nil && PhotoCalibration([clear[0], clear[1]]).error == nil)
    }

    @Test("The first three photos come back from the stored form, which refuses other lengths")
    func encoding() throws {
        let subject = try Subjects.lost { $0.photoVectors = (1...4).map { Self.vector($0) } }
        #expect(subject.photos.count == 3)
        func traits(_ bytes: [UInt8]) -> PhotoTraits? { bytes.withUnsafeBytes { PhotoTraits(encoded: $0) } }
        let photos = subject.photos.encoded
        #expect(traits(photos) == subject.photos && photos.count == 606)
        #expect(traits(Array(photos.dropLast())) == nil && traits(photos + photos) == nil)
        let bytes = subject.encoded
        var read = try #require(MatchSubject(encoded: bytes))
        #expect(read != subject && bytes.count < 250)
        read.photos = subject.photos
        #expect(read == subject)
        for count in UInt8(0)...255 where count != 3 {
            #expect(MatchSubject(encoded: bytes.dropLast() + [count]) == nil)
        }
    }

    @Test("Sketches estimate the likeness of the best pair, without a trap for cut bytes")
    func sketches() throws {
        let own = Self.vector(1)
        let sketches = try Subjects.lost { $0.photoVectors = [own, Self.vector(90)] }.sketches
        func bits(_ vectors: [[Int8]]) throws -> Double? {
            let bytes = try Subjects.found { $0.photoVectors = vectors }.encoded
            return bytes.withUnsafeBytes { bytes in
                let encoded = PhotoSketches.encoded(inSubject: bytes)
                for length in 1..<encoded.count {
                    #expect(sketches.bits(UnsafeRawBufferPointer(rebasing: encoded.prefix(length))) == nil)
                }
                return sketches.bits(encoded)
            }
        }
        #expect(try bits([]) == nil)
        let most = 9.81 / log(2)
        #expect(try abs(#require(try bits([own])) - most) < 0.001)
        #expect(try bits([own.map { $0 == 0 ? 1 : -$0 }, own]) == bits([own]))
        // The standard error of a cosine by 128 signs is at most pi / 2 / sqrt(128) = 0.14.
        for seed in UInt64(2)...40 {
            let other = Self.vector(seed, near: own, noise: Double(seed) / 20)
            let estimate = try #require(try bits([other])) / most
            #expect(abs(estimate - max(Self.cosine(own, other), Self.cosine(Self.vector(90), other))) < 0.45)
        }
    }
}

import Domain
import Matching
import TestSupport
import Testing

@testable import Storage

@Suite("Candidates of matches")
struct MatchCandidatesTests {
    private static func subject(_ vector: [Int8]?) throws -> MatchSubject {
        let place = try #require(Coordinate(lon: 14.79, lat: 40.77))
        var description = MatchDescription(isLost: false, species: .dog, coordinate: place, day: 20_000)
        description.photoVectors = vector.map { [$0] } ?? []
        return try Bundled.matchReader().subject(description)
    }

    private static func vector(_ sign: Int8, _ differing: Int = 0) -> [Int8] {
        (0..<128).map { sign * ($0 % 2 == 0 ? 20 : -20) * ($0 < differing ? -1 : 1) }
    }

    @Test("Photos of the likeliest are compared: of those that look alike, and of those that fit without photos")
    func likeliest() throws {
        var candidates = MatchCandidates()
        let vectors = [nil, Self.vector(1), Self.vector(-1), Self.vector(1, 40), Self.vector(-1), nil]
        for (key, vector) in vectors.enumerated() {
            candidates.append(MatchCandidate(key: Int64(key), distance: 100, subject: try Self.subject(vector)))
        }
        let own = try Self.subject(Self.vector(1)).sketches
        let equal = Array(repeating: 0.0, count: vectors.count)
        #expect(candidates.likeliest(2, bits: equal, photos: own) == [1, 3])
        #expect(candidates.likeliest(2, bits: [50, 0, 0, 0, 40, 50], photos: own) == [4, 1])
        #expect(candidates.likeliest(10, bits: equal, photos: own) == [1, 2, 3, 4])
        #expect(candidates.likeliest(10, bits: equal, photos: try Self.subject(nil).sketches).isEmpty)
    }
}

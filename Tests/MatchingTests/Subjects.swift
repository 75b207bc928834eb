import Domain
import Foundation
import Testing

@testable import Matching

/// The reader with the real breed table, and listings to compare.
enum Subjects {
    static let breeds: Breeds = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        do {
            return try Breeds(tsv: Data(contentsOf: root.appending(path: "geodata/breeds.tsv")))
        } catch {
            preconditionFailure("\(error)")
        }
    }()
    static let reader = MatchReader(breeds: breeds)
    static let scorer = MatchScorer(frequencies: MatchFrequencies(reader))

    static func lost(_ change: (inout MatchDescription) -> Void = { _ in }) throws -> MatchSubject {
        try subject(isLost: true, change)
    }

    static func found(_ change: (inout MatchDescription) -> Void = { _ in }) throws -> MatchSubject {
        try subject(isLost: false, change)
    }

    private static func subject(isLost: Bool, _ change: (inout MatchDescription) -> Void) throws -> MatchSubject {
        let place = try #require(Coordinate(lon: 14.25, lat: 40.85))
        var description = MatchDescription(isLost: isLost, species: .dog, coordinate: place, day: 20_700)
        change(&description)
        return reader.subject(description)
    }

    /// The evidence of one kind for two listings at one place.
    static func evidence(
        _ kind: EvidenceKind,
        metres: Double = 300,
        _ lost: (inout MatchDescription) -> Void,
        _ found: (inout MatchDescription) -> Void
    ) throws -> Evidence {
        let all = try scorer.evidence(self.lost(lost), self.found(found), distanceMetres: metres)
        #expect(all.map(\.kind) == EvidenceKind.allCases)
        return try #require(all.first { $0.kind == kind })
    }
}

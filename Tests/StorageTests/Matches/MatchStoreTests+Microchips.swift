import Domain
import Foundation
import Matching
import Storage
import Testing

extension MatchStoreTests {
    private static let chip = "380260000000042"

    private func carrying(_ status: Listing.Status, _ chip: String?, metres: Double = 0) async throws -> Listing {
        try await post(status, metres: metres) { ($0.breed, $0[.microchip]) = ("Beagle", chip) }
    }

    private func chips(of results: MatchStore.Results<UUID>, _ id: UUID) -> [String] {
        results.matches.filter { $0.value == id }.flatMap(\.evidence).filter { $0.kind == .microchip }.map(\.level)
    }

    private func find(_ listing: Listing, asOwner: Bool) throws -> MatchStore.Results<UUID> {
        try matches.find(for: listing, asOwner: asOwner, limit: 100) { row in try Listing(row).id }
    }

    @Test("Owners alone are told of an equal microchip, and nobody of a different one", arguments: [true, false])
    func equalMicrochip(isRead: Bool) async throws {
        let lost = try await carrying(.lost, Self.chip)
        let same = try await carrying(.found, Self.chip, metres: 20_000)
        let different = try await carrying(.found, "380260000000043", metres: 100)
        let unsaid = try await carrying(.found, nil, metres: 100)
        if isRead { _ = try await matches.readSubjects() }
        for (own, other) in [(lost, same), (same, lost)] {
            let told = try find(own, asOwner: true)
            #expect(told.matches.first?.value == other.id && chips(of: told, other.id) == ["equal"])
            #expect((told.matches.first?.probability ?? 0) > 0.9)
            #expect(chips(of: try find(own, asOwner: false), other.id) == ["unsaid"])
        }
        let (owners, strangers) = (try find(lost, asOwner: true), try find(lost, asOwner: false))
        func bits(_ results: MatchStore.Results<UUID>, _ id: UUID) -> Double? {
            results.matches.first { $0.value == id }?.bits
        }
        for other in [different, unsaid] {
            #expect(chips(of: owners, other.id) == ["unsaid"])
            #expect(bits(owners, other.id) == bits(strangers, other.id))
        }
        #expect(strangers.matches.first?.value != same.id)
    }

    @Test("A listing with the same microchip is found wherever it is, unless it is hidden, closed or of the same side")
    func distantMicrochip() async throws {
        let lost = try await carrying(.lost, Self.chip)
        let far = try await carrying(.found, Self.chip, metres: 400_000)
        _ = try await carrying(.lost, Self.chip, metres: 300_000)
        _ = try await carrying(.reunited, Self.chip, metres: 300_000)
        let found = try find(lost, asOwner: true)
        #expect(found.matches.map(\.value) == [far.id] && found.matches[0].distance >= 400_000)
        #expect(try find(lost, asOwner: false).considered == 0)
        try await board.hide(far)
        #expect(try find(lost, asOwner: true).considered == 0)
    }
}

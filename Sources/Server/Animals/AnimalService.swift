import Domain
import Foundation
import Storage

/// The animals of joined listings, for the API and the web pages alike.
struct AnimalService: Sendable {
    let stores: Stores
    let delivery: Delivery

    /// Returns the animal of a listing as the reader may see it; nil if the listing is not joined with others.
    func animal(of listing: Listing, seenBy reader: Account?) throws -> Animal? {
        let listings = try stores.animals.findListings(joinedWith: listing)
        guard listings.count > 1 else { return nil }
        return Animal(
            try listings.map { ($0, try stores.sightings.findSightings(of: $0, seenBy: reader)) }
        )
    }

    /// Joins two listings for a moderator, and tells their owners.
    func join(_ id: UUID, with other: UUID, note: String? = nil, by moderator: Audit.Actor) async throws {
        delivery.tell(
            try await stores.moderation.join(id, with: other, note: note, by: moderator, push: delivery.push))
    }
}

import Domain
import Storage

/// The animals of joined listings, for the API and the web pages alike.
struct AnimalService: Sendable {
    let stores: Stores

    /// Returns the animal of a listing as the reader may see it; nil if the listing is not joined with others.
    func animal(of listing: Listing, seenBy reader: Account?) throws -> Animal? {
        let listings = try stores.animals.findListings(joinedWith: listing)
        guard listings.count > 1 else { return nil }
        return Animal(
            try listings.map { ($0, try stores.sightings.findSightings(of: $0, seenBy: reader)) }
        )
    }
}

import Domain
import Foundation
import HTTP
import Hummingbird
import Photos
import Storage

/// Stores sightings, for the API and the web pages alike.
struct SightingService: Sendable {
    let sightings: SightingStore
    let limits: MessageLimits
    let finder: any PlaceFinder
    let delivery: Delivery
    let slowReads: SlowReadExecutor

    /// Finds the place of a sighting.
    func locate(_ content: SightingContent, _ language: Language) async throws -> SightingDraft {
        try await slowReads.findPlace(finder, hasPoint: content.lon != nil) {
            try content.located(by: finder, language: language)
        }
    }

    /// Stores a sighting and notifies the owner of the listing.
    ///
    /// - Parameter id: the ID of the sighting. A sighting with an ID that exists already is not stored again.
    func add(
        _ draft: SightingDraft,
        photo: ProcessedPhoto? = nil,
        id: UUID,
        of listing: Listing,
        by author: Account,
        from client: NetworkAddress
    ) async throws -> AddedSighting {
        // Refused and repeated sightings do not count towards the limits.
        if try !sightings.isRepeated(draft, hasPhoto: photo != nil, id: id, of: listing, by: author) {
            try await limits.takeSighting(draft.text, photoBytes: photo?.byteCount ?? 0, by: author, from: client)
        }
        return try await delivery.deliver(photo) { photo, push in
            try await sightings.add(draft, photo: photo, id: id, of: listing, by: author, push: push)
        }
    }
}

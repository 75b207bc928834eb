import Domain
import Foundation

extension Listing {
    /// A listing that was posted a minute ago.
    static func sample(_ content: ListingContent, at location: ListingLocation, photos: [ListingPhoto] = []) -> Listing
    {
        Listing(
            key: 1,
            id: UUID(),
            code: .random(),
            owner: 1,
            version: 3,
            hidden: false,
            content: content,
            location: location,
            photos: photos,
            createdAt: Timestamp.now.adding(seconds: -60),
            updatedAt: .now
        )
    }
}

import Domain
import Foundation
import Storage

/// Decides who may download the files of a photo: exactly those who see what it belongs to.
struct PhotoAccess: Sendable {
    let stores: Stores

    /// How long caches may keep a file: the value of `Cache-Control`.
    enum Caching: String {
        /// A photo never changes; a new photo has a new URL.
        case immutable = "public, max-age=31536000, immutable"
        /// Everybody may see it now, but the owner of the listing can take that back.
        case revalidated = "private, no-cache"
        case none = "private, no-store"
    }

    /// Returns nil if there is no such photo, or the reader may not see it.
    ///
    /// - Parameter reader: nil for a client without an account.
    func cacheControl(of photo: UUID, for reader: Account?) throws -> Caching? {
        switch try stores.photos.audience(of: photo) {
        case nil: return nil
        case .everybody: return .immutable
        case .owner(let key): return reader?.key == key || reader?.role == .admin ? Caching.none : nil
        case .sighting(let id):
            if try stores.sightings.isVisible(id, to: nil) { return .revalidated }
            return try reader.map { try stores.sightings.isVisible(id, to: $0) } == true ? Caching.none : nil
        case .message(let id):
            return try reader.map { try stores.conversations.isVisible(id, to: $0) } == true ? Caching.none : nil
        }
    }
}

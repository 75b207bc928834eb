package import Foundation

/// A photo in the folder of photos: the files of its sizes are named after its id.
package struct StoredPhoto: Equatable, Sendable {
    package let id: UUID
    /// In pixels, for the largest size.
    package let width: Int
    package let height: Int

    package init(id: UUID, width: Int, height: Int) {
        (self.id, self.width, self.height) = (id, width, height)
    }

    /// The path of the largest size, of at most 1600 pixels.
    package var url: String { path(side: 1600) }
    /// At most 800 pixels.
    package var medium: String { path(side: 800) }
    /// At most 480 pixels, for cards on telephones.
    package var small: String { path(side: 480) }
    /// At most 320 pixels.
    package var thumbnail: String { path(side: 320) }

    private func path(side: Int) -> String { "/photos/\(id.uuidString.lowercased())-\(side).jpg" }
}

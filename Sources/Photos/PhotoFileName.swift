package import Foundation

/// The name of a file of a photo below the folder or in the bucket of all photos, such as `0b/0b6c...-800.jpg`.
///
/// The names do not identify the owners, and the contents of a file never change.
package struct PhotoFileName: Hashable, Sendable, CustomStringConvertible {
    package let photo: UUID
    package let side: Int

    package init(_ photo: UUID, side: Int) {
        self.photo = photo
        self.side = side
    }

    /// Returns nil for names that belong to no photo.
    init?(_ name: String) {
        // The first three characters are the folder.
        guard let photo = UUID(uuidString: String(name.dropFirst(3).prefix(36))),
            let side = PhotoProcessor.sides.first(where: { "\(Self(photo, side: $0))" == name })
        else { return nil }
        self.init(photo, side: side)
    }

    package var description: String { "\(folder)/\(id)-\(side).jpg" }

    /// The first two digits of the ID.
    var folder: String { String(id.prefix(2)) }

    private var id: String { photo.uuidString.lowercased() }

    /// Whether photos of earlier versions have no such file, so that nothing is wrong if it is missing.
    package var canBeMissing: Bool { side == PhotoProcessor.laterSide }

    /// The file of the next larger size; nil for the largest.
    package var larger: PhotoFileName? {
        PhotoProcessor.sides.last { $0 > side }.map { PhotoFileName(photo, side: $0) }
    }

    /// The names of all files of a photo.
    static func all(of photo: UUID) -> [PhotoFileName] { PhotoProcessor.sides.map { PhotoFileName(photo, side: $0) } }
}

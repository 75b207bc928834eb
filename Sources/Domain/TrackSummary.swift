/// A track as the page of a listing shows it, without its points.
package struct TrackSummary: Equatable, Sendable {
    package let number: Int
    package let kind: Track.Kind
    package let name: String?
    /// Nil for readers other than the owner of the listing.
    package let device: String?
    package let visibility: Track.Visibility
    package let isOpen: Bool
    /// The number of points; 0 for readers other than the owner of the listing.
    package let pointCount: Int
    /// The time of the newest point; nil for readers other than the owner of the listing, and if no point has a time.
    package let lastPointAt: Timestamp?

    package init(
        number: Int,
        kind: Track.Kind,
        name: String?,
        device: String?,
        visibility: Track.Visibility,
        isOpen: Bool,
        pointCount: Int,
        lastPointAt: Timestamp?
    ) {
        (self.number, self.kind, self.name) = (number, kind, name)
        (self.device, self.visibility, self.isOpen) = (device, visibility, isOpen)
        (self.pointCount, self.lastPointAt) = (pointCount, lastPointAt)
    }
}

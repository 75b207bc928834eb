import Concurrency
import Credentials
import Domain
import Foundation
import GPX
import HTTP
import Hummingbird
import NIOCore
import SearchAreas
import Storage

/// Reads tracks from files and devices, and computes what search parties have searched, for the API and the pages.
struct TrackService: Sendable {
    /// The maximum size of a file in bytes.
    static let maxFileSize = 8 << 20

    let tracks: TrackStore
    let searchAreas: SearchAreaService
    let limits: TrackLimits
    let slowReads: SlowReadExecutor

    /// The maximum duration of an upload.
    private static let timeout = Duration.seconds(60)
    /// The files that arrive at once, which are kept in memory.
    private static let uploads = ConcurrencyLimit(16)

    /// Receives and parses a GPX file.
    func receive<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces
    ) async throws -> (file: TrackFile, name: String?) where Pieces.Element == ByteBuffer {
        guard let permit = Self.uploads.take() else {
            throw ServiceError(.unavailable, "too many tracks at once: try again in a moment")
        }
        defer { withExtendedLifetime(permit) {} }
        let bytes = try await withTimeout(Self.timeout, orElse: .slowTrack) { try await Self.collect(pieces) }
        // Parsing 8 MiB takes up to 0.3 s.
        return try await slowReads.run(RequestMeter.current) {
            let gpx = try bytes.withUnsafeReadableBytes { bytes in try GPXFile(bytes) }
            return (try TrackFile(gpx.segments, leftOut: gpx.leftOut), gpx.name)
        }
    }

    private static func collect<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces) async throws -> ByteBuffer
    where Pieces.Element == ByteBuffer {
        var bytes = ByteBuffer()
        for try await var piece in pieces {
            guard bytes.readableBytes + piece.readableBytes <= maxFileSize else { throw ServiceError.largeTrack }
            bytes.writeBuffer(&piece)
        }
        return bytes
    }

    /// The parts of the search area that search parties have searched, as the viewer may see them.
    ///
    /// - Throws: `conflict` if the listing has no search area.
    func searchedArea(of listing: Listing, seenBy viewer: Account?) async throws -> SearchedArea {
        let area = try searchAreas.area(of: listing, seenBy: viewer)
        let parties = try tracks.findTracks(of: listing, seenBy: viewer).filter { $0.kind == .searchParty }
        return try await slowReads.run(RequestMeter.current) {
            if viewer?.key == listing.owner {
                let lines = parties.flatMap { $0.segments.map { $0.map(\.coordinate) } }
                return SearchedArea(of: area, lines: lines)
            }
            return SearchedArea(cells: parties.flatMap { $0.segments.joined().map(\.coordinate) })
        }
    }
}

extension ServiceError {
    static let largeTrack = ServiceError(
        .tooLarge,
        "body: expected a file of at most \(TrackService.maxFileSize >> 20) MiB"
    )
    fileprivate static let slowTrack = ServiceError(.tooSlow, "the track took too long to arrive")
}

/// Limits how often each device sends points.
struct TrackLimits: Sendable {
    private let counters: any LimitCounters
    private let factor: Double
    private let posts: RateLimit

    init(_ limits: RateLimits, _ counters: any LimitCounters) {
        self.counters = counters
        factor = limits.factor
        // One in 30 seconds, and what was kept while there was no connection.
        posts = limits.limit("track-device", quota: 120, window: 3_600)
    }

    /// Counts points that arrive for a track. Throws `RateLimitExceededError`.
    func takePoints(of number: Int, listing: UUID) async throws {
        guard factor > 0 else { return }
        try await counters.take([QuotaCharge(posts, "track \(number) \(listing.lowercased)")])
    }
}

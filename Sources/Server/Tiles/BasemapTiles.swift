import Basemap
import Concurrency
import Domain
import Foundation
import MapDatabase
import Synchronization

/// Draws tiles and pictures of the map on a thread of its own, in turns by client, and keeps the tiles that were asked for
/// last.
final class BasemapTiles: Sendable {
    struct Key: Hashable, Sendable {
        let tile: MapTile
        let scale: Int
        let style: BasemapStyle
    }

    /// A tile as PNG.
    struct Picture: Sendable {
        let bytes: Data
        let tag: String
    }

    private static let thread = ThreadPoolExecutor(threads: 1, niceness: 10)

    private let basemap: Basemap
    private let maps: MapFolder
    // A map on a large screen asks for 60 tiles.
    private let turns = AsyncSemaphore(permits: 1, maxWaiting: 2_048, maxWait: .seconds(20))
    private let kept = Mutex(KeptPictures())

    init(_ basemap: Basemap, maps: MapFolder) {
        (self.basemap, self.maps) = (basemap, maps)
    }

    /// Changes when tiles look different, for their address.
    var version: String { "\(Basemap.design)-\(maps.version)" }

    /// Whether tiles show data of OpenStreetMap, which wants to be named.
    var hasStreets: Bool { !maps.maps.isEmpty }

    /// Throws `unavailable` if too many tiles are waiting.
    func picture(_ key: Key) async throws -> Picture {
        let version = maps.version
        if let known = kept.withLock({ $0[key, version] }) { return known }
        return try await turns.withPermit {
            // Another request may have drawn it meanwhile.
            if let known = kept.withLock({ $0[key, version] }) { return known }
            let maps = maps.maps
            let bytes = try await run { try basemap.png(key.tile, scale: key.scale, key.style, maps: maps) }
            let picture = Picture(bytes: bytes, tag: bytes.entityTag)
            kept.withLock { $0.keep(picture, key, version) }
            return picture
        }
    }

    /// Returns a picture as PNG; nil if the extracts show nothing there.
    ///
    /// Throws `unavailable` if too many tiles are waiting.
    func png(_ window: MapWindow, scale: Int) async throws -> Data? {
        guard hasStreets else { return nil }
        let maps = maps.maps
        return try await turns.withPermit { try await run { try basemap.png(window, scale: scale, maps: maps) } }
    }

    /// Draws on the thread.
    func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(Self.thread) { try await Self.runOnPreferred(body) }
    }

    @concurrent private static func runOnPreferred<Value>(_ body: () throws -> Value) async throws -> Value {
        try body()
    }
}

/// The pictures that were asked for last, of one version of the extracts.
private struct KeptPictures {
    private var pictures: [BasemapTiles.Key: (picture: BasemapTiles.Picture, use: Int)] = [:]
    private var version = 0
    private var bytes = 0
    private var uses = 0

    private static let maxBytes = 64 << 20
    /// Event loops wait while the oldest are found, which takes milliseconds for so many.
    private static let maxCount = 4_096

    subscript(key: BasemapTiles.Key, version: Int) -> BasemapTiles.Picture? {
        mutating get {
            guard version == self.version, let known = pictures[key]?.picture else { return nil }
            uses += 1
            pictures[key]?.use = uses
            return known
        }
    }

    mutating func keep(_ picture: BasemapTiles.Picture, _ key: BasemapTiles.Key, _ version: Int) {
        if version != self.version {
            (pictures, bytes, self.version) = ([:], 0, version)
        }
        uses += 1
        bytes += picture.bytes.count - (pictures[key]?.picture.bytes.count ?? 0)
        pictures[key] = (picture, uses)
        guard bytes > Self.maxBytes || pictures.count > Self.maxCount else { return }
        // A quarter at once, because the oldest are found by sorting.
        for (old, entry) in pictures.sorted(by: { $0.value.use < $1.value.use }) {
            guard bytes > Self.maxBytes / 4 * 3 || pictures.count > Self.maxCount / 4 * 3 else { break }
            pictures[old] = nil
            bytes -= entry.picture.bytes.count
        }
    }
}

package import Domain
package import Storage

extension VectorTile {
    /// - Parameter base: makes the address of a photo whole.
    package mutating func add(_ listing: MapListing, in tile: MapTile, base: String) {
        guard let position = tile.position(of: listing.point) else { return }
        add(
            id: listing.number,
            at: position,
            [
                "id": .text(listing.id),
                "status": .text(listing.status),
                "species": .text(listing.species),
                "name": listing.name.map(Value.text),
                "breed": listing.breed.map(Value.text),
                "thumbnail": listing.thumbnail.map { .text(base + $0) },
                "last_seen_at": .text(listing.lastSeenAt),
                "approximate": .flag(listing.isApproximate),
            ]
        )
    }

    package mutating func add(_ entry: PointOfInterestStore.Entry, in tile: MapTile) {
        guard let position = tile.position(of: entry.poi.coordinate) else { return }
        add(
            id: UInt64(entry.key),
            at: position,
            [
                "id": .number(Int(entry.key)),
                "category": .text(entry.poi.category.rawValue),
                "name": entry.poi.name.map(Value.text),
            ]
        )
    }

    /// Under the name that other clusterers give it too.
    package mutating func add(_ cluster: MapCluster, in tile: MapTile) {
        guard let position = tile.position(of: cluster.centre) else { return }
        let count = Value.number(cluster.count.count)
        add(id: nil, at: position, ["count": count, "point_count": count, "exact": .flag(cluster.count.isExact)])
    }
}

extension MapListing {
    /// The first 48 bits of its id, which are random: the key would tell when it was written, and has more bits than
    /// JavaScript's numbers hold.
    fileprivate var number: UInt64? { UInt64(id.filter { $0 != "-" }.prefix(12), radix: 16) }
}

package import Domain
package import Storage

extension VectorTile {
    /// - Parameter base: the prefix for the path of the photo.
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
                "breed_keys": listing.breedKeys.map(Value.text),
                "mixed": listing.isMixed.map(Value.flag),
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

    /// Uses the property `point_count`, too, which other clustering software uses.
    package mutating func add(_ cluster: MapCluster, in tile: MapTile) {
        guard let position = tile.position(of: cluster.centre) else { return }
        let count = Value.number(cluster.count.count)
        add(id: nil, at: position, ["count": count, "point_count": count, "exact": .flag(cluster.count.isExact)])
    }
}

extension MapListing {
    /// The first 48 bits of the listing's id, which are random. The key is not used, because it reveals the time of the
    /// post and exceeds the integers that JavaScript represents exactly.
    fileprivate var number: UInt64? {
        let digits = id.utf8.filter { $0 != UInt8(ascii: "-") }.prefix(12)
        return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

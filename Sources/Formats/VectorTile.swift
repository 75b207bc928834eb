package import Domain

/// A vector tile with one layer of points (Mapbox Vector Tile 2.1).
/// https://github.com/mapbox/vector-tile-spec/tree/master/2.1
package struct VectorTile {
    package enum Value: Hashable, Sendable {
        case text(String)
        case number(Int)
        case flag(Bool)
    }

    package static let mediaType = "application/vnd.mapbox-vector-tile"

    private let name: String
    private var keys: [String] = []
    private var values = Pool<Value>()
    /// The encoded fields that contain the features.
    private var features = ProtobufWriter()
    /// The parts of the feature that is being added. They are members so that their memory is allocated once.
    private var feature = ProtobufWriter()
    private var tags = ProtobufWriter()
    private var geometry = ProtobufWriter()

    package init(layer name: String) {
        self.name = name
    }

    package var isEmpty: Bool { features.isEmpty }

    /// Adds a point. Properties without a value are omitted.
    package mutating func add(id: UInt64?, at position: MapTile.Position, _ properties: KeyValuePairs<String, Value?>) {
        feature.removeAll()
        if let id { feature.field(1, id) }
        tags.removeAll()
        for case (let key, let value?) in properties {
            tags.varint(index(ofKey: key))
            tags.varint(values.index(value))
        }
        feature.field(2, tags.bytes)
        feature.field(3, Self.point)
        geometry.removeAll()
        geometry.varint(Self.moveToOne)
        geometry.zigzag(position.x)
        geometry.zigzag(position.y)
        feature.field(4, geometry.bytes)
        features.field(2, feature.bytes)
    }

    /// Compares the keys, which are fewer than ten, because this takes less time than hashing one.
    private mutating func index(ofKey key: String) -> UInt64 {
        if let index = keys.firstIndex(of: key) { return UInt64(index) }
        keys.append(key)
        return UInt64(keys.count - 1)
    }

    /// The encoded tile; empty if the tile has no features.
    package var bytes: [UInt8] {
        guard !isEmpty else { return [] }
        var layer = ProtobufWriter()
        layer.field(15, Self.version)
        layer.field(1, name.utf8)
        layer.append(features)
        for key in keys { layer.field(3, key.utf8) }
        for value in values.items { layer.field(4, value.bytes) }
        layer.field(5, UInt64(MapTile.extent))
        var tile = ProtobufWriter()
        tile.field(3, layer.bytes)
        return tile.bytes
    }

    private static let version: UInt64 = 2
    /// The geometry type POINT.
    private static let point: UInt64 = 1
    /// The command MoveTo with a count of 1.
    private static let moveToOne: UInt64 = 1 << 3 | 1
}

/// The distinct values of the features, with their indexes.
private struct Pool<Item: Hashable> {
    private(set) var items: [Item] = []
    private var indexes: [Item: UInt64] = [:]

    mutating func index(_ item: Item) -> UInt64 {
        if let index = indexes[item] { return index }
        let index = UInt64(items.count)
        indexes[item] = index
        items.append(item)
        return index
    }
}

extension VectorTile.Value {
    fileprivate var bytes: [UInt8] {
        var value = ProtobufWriter()
        switch self {
        case .text(let text): value.field(1, text.utf8)
        case .number(let number): value.field(4, UInt64(bitPattern: Int64(number)))
        case .flag(let flag): value.field(7, flag ? 1 : 0)
        }
        return value.bytes
    }
}

import Domain

/// The elements of one OSMData block. The block is valid while its bytes are.
struct PrimitiveBlock {
    private var strings = StringTable()
    private var groups: [UnsafeRawBufferPointer] = []
    /// The unit of coordinates in nanodegrees.
    private var granularity = 100.0
    private var latOffset = 0.0
    private var lonOffset = 0.0

    /// - Parameter keys: Elements without any of these keys have no tags.
    init(_ bytes: UnsafeRawBufferPointer, keys: [[UInt8]]) throws {
        var message = ProtobufReader(bytes)
        while let (number, value) = try message.nextField() {
            switch (number, value) {
            case (1, .bytes(let table)): strings = try StringTable(table, keys: keys)
            case (2, .bytes(let group)): groups.append(group)
            case (17, .varint(let value)): granularity = Double(Int64(bitPattern: value))
            case (19, .varint(let value)): latOffset = Double(Int64(bitPattern: value))
            case (20, .varint(let value)): lonOffset = Double(Int64(bitPattern: value))
            default: break
            }
        }
    }

    func visit(_ types: ElementTypes, _ body: (Element) throws -> Void) throws {
        for group in groups {
            var message = ProtobufReader(group)
            while let (number, value) = try message.nextField() {
                guard case .bytes(let bytes) = value else { continue }
                switch number {
                case 1 where types.contains(.nodes): try body(.node(node(bytes)))
                case 2 where types.contains(.nodes): try visitDenseNodes(bytes, body)
                case 3 where types.contains(.ways): try body(.way(way(bytes)))
                case 4 where types.contains(.relations): try body(.relation(relation(bytes)))
                default: break
                }
            }
        }
    }

    private func node(_ bytes: UnsafeRawBufferPointer) throws -> Node {
        var node = Node(id: 0, lon: .nan, lat: .nan, tags: [:])
        var tags = TagIndices()
        var message = ProtobufReader(bytes)
        while let (number, value) = try message.nextField() {
            switch (number, value) {
            case (1, .varint(let value)): node.id = Int64(zigzag: value)
            case (8, .varint(let value)): node.lat = latitude(Int64(zigzag: value))
            case (9, .varint(let value)): node.lon = longitude(Int64(zigzag: value))
            default: tags.read(number, value)
            }
        }
        node.tags = try strings.tags(tags)
        return node
    }

    private func visitDenseNodes(_ bytes: UnsafeRawBufferPointer, _ body: (Element) throws -> Void) throws {
        var (ids, lats, lons, tags) = (ProtobufReader(), ProtobufReader(), ProtobufReader(), ProtobufReader())
        var message = ProtobufReader(bytes)
        while let (number, value) = try message.nextField() {
            switch (number, value) {
            case (1, .bytes(let packed)): ids = ProtobufReader(packed)
            case (8, .bytes(let packed)): lats = ProtobufReader(packed)
            case (9, .bytes(let packed)): lons = ProtobufReader(packed)
            case (10, .bytes(let packed)): tags = ProtobufReader(packed)
            default: break
            }
        }
        var (id, lat, lon) = (Int64(0), Int64(0), Int64(0))
        while !ids.isAtEnd {
            id &+= try ids.sint()
            lat &+= try lats.sint()
            lon &+= try lons.sint()
            let tags = try strings.denseTags(&tags)
            try body(.node(Node(id: id, lon: longitude(lon), lat: latitude(lat), tags: tags)))
        }
        guard lats.isAtEnd, lons.isAtEnd else { throw Malformed("is damaged: nodes without an id") }
    }

    private func way(_ bytes: UnsafeRawBufferPointer) throws -> Way {
        var way = Way(id: 0, nodes: [], tags: [:])
        var (tags, refs) = (TagIndices(), ProtobufReader())
        var message = ProtobufReader(bytes)
        while let (number, value) = try message.nextField() {
            switch (number, value) {
            case (1, .varint(let id)): way.id = Int64(bitPattern: id)
            case (8, .bytes(let packed)): refs = ProtobufReader(packed)
            default: tags.read(number, value)
            }
        }
        way.tags = try strings.tags(tags)
        way.nodes = try deltas(&refs)
        return way
    }

    private func relation(_ bytes: UnsafeRawBufferPointer) throws -> Relation {
        var relation = Relation(id: 0, members: [], tags: [:])
        var (roles, refs, types, tags) = (ProtobufReader(), ProtobufReader(), ProtobufReader(), TagIndices())
        var message = ProtobufReader(bytes)
        while let (number, value) = try message.nextField() {
            switch (number, value) {
            case (1, .varint(let id)): relation.id = Int64(bitPattern: id)
            case (8, .bytes(let packed)): roles = ProtobufReader(packed)
            case (9, .bytes(let packed)): refs = ProtobufReader(packed)
            case (10, .bytes(let packed)): types = ProtobufReader(packed)
            default: tags.read(number, value)
            }
        }
        relation.tags = try strings.tags(tags)
        guard !relation.tags.isEmpty else { return relation }
        relation.members = try deltas(&refs).map { id in
            Relation.Member(type: try memberType(types.varint()), id: id, role: try strings[roles.varint()])
        }
        return relation
    }

    private func memberType(_ value: UInt64) throws -> PointOfInterest.ElementType {
        switch value {
        case 0: .node
        case 1: .way
        case 2: .relation
        default: throw Malformed("is damaged: a relation's member of unknown type")
        }
    }

    private func deltas(_ packed: inout ProtobufReader) throws -> [Int64] {
        var values: [Int64] = []
        var value: Int64 = 0
        while !packed.isAtEnd {
            value &+= try packed.sint()
            values.append(value)
        }
        return values
    }

    private func latitude(_ value: Int64) -> Double {
        (latOffset + granularity * Double(value)) / 1e9
    }

    private func longitude(_ value: Int64) -> Double {
        (lonOffset + granularity * Double(value)) / 1e9
    }
}

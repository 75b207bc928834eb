import Domain

/// The string table of one OSMData block; elements refer to it by index. The table is valid while its bytes are.
struct StringTable {
    private var strings: [UnsafeRawBufferPointer] = []
    private var isWanted: [Bool] = []

    init() {}

    init(_ bytes: UnsafeRawBufferPointer, keys: [[UInt8]]) throws {
        var message = ProtobufReader(bytes)
        while let (number, value) = try message.nextField() {
            guard number == 1, case .bytes(let string) = value else { continue }
            strings.append(string)
            isWanted.append(keys.contains { $0.elementsEqual(string) })
        }
    }

    subscript(_ index: UInt64) -> String {
        get throws { String(decoding: strings[try checked(index)], as: UTF8.self) }
    }

    /// Returns the tags, or no tags if no key is wanted.
    func tags(_ indices: TagIndices) throws -> Tags {
        var (keys, isCandidate) = (indices.keys, false)
        while !keys.isAtEnd, !isCandidate {
            isCandidate = isWanted[try checked(keys.varint())]
        }
        guard isCandidate else { return [:] }
        var tags: Tags = [:]
        var values = indices.values
        keys = indices.keys
        while !keys.isAtEnd {
            tags[try self[keys.varint()]] = try self[values.varint()]
        }
        return tags
    }

    /// Reads keys and values in turn, up to the 0 that ends a node. Returns no tags if no key is
    /// wanted.
    func denseTags(_ packed: inout ProtobufReader) throws -> Tags {
        let start = packed
        var isCandidate = false
        while !packed.isAtEnd {
            let key = try packed.varint()
            guard key != 0 else { break }
            isCandidate = isWanted[try checked(key)] || isCandidate
            _ = try packed.varint()
        }
        return isCandidate ? try denseTags(from: start) : [:]
    }

    private func denseTags(from start: ProtobufReader) throws -> Tags {
        var packed = start
        var tags: Tags = [:]
        while !packed.isAtEnd {
            let key = try packed.varint()
            guard key != 0 else { break }
            tags[try self[key]] = try self[packed.varint()]
        }
        return tags
    }

    private func checked(_ index: UInt64) throws -> Int {
        guard index < UInt64(strings.count) else { throw Malformed("is damaged: a text that is not there") }
        return Int(index)
    }
}

/// The keys and values of an element, as indices into its block's string table.
struct TagIndices {
    fileprivate var keys = ProtobufReader()
    fileprivate var values = ProtobufReader()

    mutating func read(_ number: UInt64, _ value: ProtobufReader.Value) {
        guard case .bytes(let packed) = value else { return }
        if number == 2 { keys = ProtobufReader(packed) }
        if number == 3 { values = ProtobufReader(packed) }
    }
}

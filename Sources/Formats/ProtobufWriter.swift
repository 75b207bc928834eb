/// Writes Protocol Buffers messages, restricted to the two wire types that vector tiles use.
/// https://protobuf.dev/programming-guides/encoding/
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    mutating func field(_ number: Int, _ value: UInt64) {
        varint(UInt64(number) << 3)
        varint(value)
    }

    /// Writes a length-delimited field: a text, an embedded message or packed numbers.
    mutating func field(_ number: Int, _ content: some Collection<UInt8>) {
        varint(UInt64(number) << 3 | 2)
        varint(UInt64(content.count))
        bytes += content
    }

    /// Writes seven bits per byte, the lowest first.
    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Encodes signed numbers so that small absolute values are short: 0, -1, 1, -2 become 0, 1, 2, 3.
    mutating func zigzag(_ value: Int) {
        varint(UInt64(bitPattern: Int64(value << 1 ^ value >> (Int.bitWidth - 1))))
    }

    /// Removes everything, but keeps the memory.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func append(_ fields: ProtobufWriter) {
        bytes += fields.bytes
    }
}

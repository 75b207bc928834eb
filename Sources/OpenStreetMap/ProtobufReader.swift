/// Reads the fields of one protocol buffers message, or packed numbers. The reader is valid while the bytes are.
struct ProtobufReader {
    enum Value {
        case varint(UInt64)
        case bytes(UnsafeRawBufferPointer)
        case fixed
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    init() {
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func nextField() throws -> (number: UInt64, value: Value)? {
        guard !isAtEnd else { return nil }
        let key = try varint()
        return (key >> 3, try value(wireType: key & 7))
    }

    mutating func varint() throws -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            result |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return result }
            shift += 7
        }
        throw Malformed("is damaged: a number without an end")
    }

    mutating func sint() throws -> Int64 {
        Int64(zigzag: try varint())
    }

    private mutating func value(wireType: UInt64) throws -> Value {
        switch wireType {
        case 0: return .varint(try varint())
        case 1: _ = try take(8)
        case 2: return .bytes(try take(varint()))
        case 5: _ = try take(4)
        default: throw Malformed("is damaged: a field of unknown type")
        }
        return .fixed
    }

    private mutating func take(_ count: UInt64) throws -> UnsafeRawBufferPointer {
        guard count <= UInt64(bytes.count - position) else {
            throw Malformed("is damaged: a field beyond its block's end")
        }
        let start = position
        position += Int(count)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }
}

extension Int64 {
    /// Decodes a signed number in ZigZag encoding (0, -1, 1, -2 ... are stored as 0, 1, 2, 3 ...).
    init(zigzag value: UInt64) {
        self = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}

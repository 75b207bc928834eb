import CLibPQ

/// A row of a result in the binary format. It is valid as long as its result.
struct PostgresRow {
    let result: OpaquePointer
    let index: CInt

    func type(_ column: CInt) -> SQLType {
        guard !isNull(column) else { return .null }
        switch PQftype(result, column) {
        case Self.bool, Self.int8, Self.int2, Self.int4, Self.oid: return .integer
        case Self.float4, Self.float8: return .real
        case Self.numeric: return numeric(column).isInteger ? .integer : .real
        case Self.bytea: return .blob
        default: return .text
        }
    }

    func isNull(_ column: CInt) -> Bool { PQgetisnull(result, index, column) != 0 }

    func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: PQgetvalue(result, index, column), count: Int(PQgetlength(result, index, column)))
    }

    /// Returns 0 for NULL and for what is no number, as SQLite does.
    func integer(_ column: CInt) -> Int64 {
        switch PQftype(result, column) {
        case Self.int8: Int64(truncatingIfNeeded: bytes(column).bigEndian(UInt64.self))
        case Self.int4: Int64(Int32(truncatingIfNeeded: bytes(column).bigEndian(UInt32.self)))
        case Self.int2: Int64(Int16(truncatingIfNeeded: bytes(column).bigEndian(UInt16.self)))
        case Self.oid: Int64(bytes(column).bigEndian(UInt32.self))
        case Self.bool: bytes(column).first == 1 ? 1 : 0
        case Self.float4, Self.float8: Int64(exactly: real(column).rounded(.towardZero)) ?? 0
        case Self.numeric: Int64(exactly: numeric(column).value.rounded(.towardZero)) ?? 0
        default: 0
        }
    }

    func real(_ column: CInt) -> Double {
        switch PQftype(result, column) {
        case Self.float8: Double(bitPattern: bytes(column).bigEndian(UInt64.self))
        case Self.float4: Double(Float(bitPattern: bytes(column).bigEndian(UInt32.self)))
        case Self.numeric: numeric(column).value
        default: Double(integer(column))
        }
    }

    private func numeric(_ column: CInt) -> (value: Double, isInteger: Bool) {
        let bytes = bytes(column)
        // The number of digits to the base 10,000, the exponent of the first one, the sign, and the number of decimal
        // digits after the point: `numeric_send` in PostgreSQL.
        guard bytes.count >= 8 else { return (0, true) }
        let header = (0..<4).map { UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self)) }
        guard header[2] == 0 || header[2] == 0x4000 else { return (.nan, false) }
        let digits = (0..<Int(header[0])).map {
            Double(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 + 2 * $0, as: UInt16.self)))
        }
        let sum = digits.reduce(0) { $0 * 10_000 + $1 }
        let exponent = Int(Int16(bitPattern: header[1])) - digits.count + 1
        let power = (0..<abs(exponent)).reduce(1.0) { power, _ in power * 10_000 }
        let magnitude = exponent < 0 ? sum / power : sum * power
        return (header[2] == 0 ? magnitude : -magnitude, header[3] == 0)
    }

    /// The object identifiers of types, from PostgreSQL's catalog `pg_type.dat`.
    private static let bool: Oid = 16
    private static let bytea: Oid = 17
    private static let int8: Oid = 20
    private static let int2: Oid = 21
    private static let int4: Oid = 23
    private static let oid: Oid = 26
    private static let float4: Oid = 700
    private static let float8: Oid = 701
    private static let numeric: Oid = 1700
}

extension UnsafeRawBufferPointer {
    /// Returns 0 if there are too few bytes, as those of NULL.
    fileprivate func bigEndian<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
        guard count >= MemoryLayout<Number>.size else { return 0 }
        return Number(bigEndian: loadUnaligned(as: type))
    }
}

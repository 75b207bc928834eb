import Domain
import Foundation

/// Reads the features of a GeoJSON FeatureCollection one by one, so that a file of any size needs little memory.
///
/// It looks only for the array `features` and the ends of its elements. `JSONDecoder` reads each of them.
struct FeatureReader {
    /// In bytes.
    static let maxFeatureSize = 1 << 20
    /// Objects and arrays within each other.
    static let maxDepth = 64

    private enum Part {
        case before
        case within
        case behind
    }

    private let read: (Int) throws -> Data?
    private var chunk: [UInt8] = []
    private var position = 0
    private var part = Part.before
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    /// The bytes of the current feature, or of the last text of the outermost object.
    private var kept: [UInt8] = []

    init(_ read: @escaping (Int) throws -> Data?) {
        self.read = read
    }

    /// Returns the next feature, or nil at the end.
    mutating func next() throws -> Data? {
        while try fill() {
            let byte = chunk[position]
            position += 1
            if try take(byte) {
                defer { kept = [] }
                return Data(kept)
            }
        }
        guard part == .behind, depth == 0 else {
            throw ServiceError.invalid(
                "file",
                part == .before
                    ? "expected a GeoJSON FeatureCollection or CSV with a header line" : "it ends within a feature"
            )
        }
        return nil
    }

    private mutating func fill() throws -> Bool {
        if position < chunk.count { return true }
        (chunk, position) = ([UInt8](try read(1 << 18) ?? Data()), 0)
        return !chunk.isEmpty
    }

    /// Takes one byte. Returns whether it ends a feature.
    private mutating func take(_ byte: UInt8) throws -> Bool {
        if keeps {
            guard kept.count < Self.maxFeatureSize else {
                throw ServiceError.invalid("file", "expected features of at most \(Self.maxFeatureSize) bytes")
            }
            kept.append(byte)
        }
        if isInText {
            takeInText(byte)
            return false
        }
        switch byte {
        case UInt8(ascii: "\""):
            isInText = true
            if part == .before { kept = [] }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < Self.maxDepth else {
                throw ServiceError.invalid("file", "expected at most \(Self.maxDepth) levels")
            }
            if part == .before, depth == 1, byte == UInt8(ascii: "["), kept == Array("features\"".utf8) {
                part = .within
            } else if part == .within, depth == 2 {
                kept = [byte]
            }
            depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            guard depth >= 0 else { throw ServiceError.invalid("file", "expected JSON") }
            if part == .within, depth == 1 { part = .behind }
            return part == .within && depth == 2
        case UInt8(ascii: ","):
            if part == .before { kept = [] }
        default: break
        }
        return false
    }

    /// Features are kept, and texts of the outermost object, among them its keys.
    private var keeps: Bool { part == .within && depth > 2 || part == .before && depth == 1 && isInText }

    private mutating func takeInText(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInText = false
        }
    }
}

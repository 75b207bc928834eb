import Domain
import Foundation

/// Reads the elements of an array in a JSON file one by one, so that a file of any size needs little memory.
///
/// It looks only for the array and the ends of its elements. `JSONDecoder` reads each of them. Several documents may follow
/// each other: the pages of a file.
struct JSONElementReader {
    /// Which array of a document is read.
    enum Layout {
        /// `features` of the outermost object: GeoJSON.
        case features
        /// The outermost array, or the first array of objects in the outermost object.
        case objects
    }

    /// In bytes.
    static let maxElementSize = 1 << 20
    /// Objects and arrays within each other.
    static let maxDepth = 64

    private enum Part {
        case before
        /// Behind the beginning of an array whose first element is not known.
        case opening
        case within
        case behind
    }

    private let layout: Layout
    private let read: (Int) throws -> Data?
    private var chunk: [UInt8] = []
    private var position = 0
    private var part = Part.before
    private var depth = 0
    /// The depth in the array.
    private var level = 2
    private var isInText = false
    private var isEscaped = false
    /// The bytes of the current element, or of the last text of the outermost object.
    private var kept: [UInt8] = []

    init(_ layout: Layout, _ read: @escaping (Int) throws -> Data?) {
        (self.layout, self.read) = (layout, read)
    }

    /// Returns the next element, or nil at the end.
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
                    ? "expected a GeoJSON FeatureCollection, a JSON array of objects, or CSV with a header line"
                    : "it ends within an element"
            )
        }
        return nil
    }

    private mutating func fill() throws -> Bool {
        if position < chunk.count { return true }
        (chunk, position) = ([UInt8](try read(1 << 18) ?? Data()), 0)
        return !chunk.isEmpty
    }

    /// Takes one byte. Returns whether it ends an element.
    private mutating func take(_ byte: UInt8) throws -> Bool {
        if keeps {
            guard kept.count < Self.maxElementSize else {
                throw ServiceError.invalid("file", "expected elements of at most \(Self.maxElementSize) bytes")
            }
            kept.append(byte)
        }
        if isInText {
            takeInText(byte)
            return false
        }
        if part == .opening, !Self.isSpace(byte) { part = byte == UInt8(ascii: "{") ? .within : .before }
        switch byte {
        case UInt8(ascii: "\""):
            isInText = true
            if part == .before { kept = [] }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < Self.maxDepth else {
                throw ServiceError.invalid("file", "expected at most \(Self.maxDepth) levels")
            }
            open(byte)
            depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            guard depth >= 0 else { throw ServiceError.invalid("file", "expected JSON") }
            if part == .within, depth < level { part = .behind }
            return part == .within && depth == level
        case UInt8(ascii: ","):
            if part == .before { kept = [] }
        default: break
        }
        return false
    }

    private mutating func open(_ byte: UInt8) {
        // Another document begins.
        if part == .behind, depth == 0 { part = .before }
        switch part {
        case .before where byte == UInt8(ascii: "["):
            switch layout {
            case .features where depth == 1 && kept == Array("features\"".utf8): (part, level) = (.within, 2)
            case .objects where depth == 0: (part, level) = (.within, 1)
            case .objects where depth == 1: (part, level) = (.opening, 2)
            default: break
            }
        case .within where depth == level: kept = [byte]
        default: break
        }
    }

    /// Elements are kept, and texts of the outermost object, among them its keys.
    private var keeps: Bool { part == .within && depth > level || part == .before && depth == 1 && isInText }

    private mutating func takeInText(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInText = false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

/// The signs of the vectors of a listing's photos, 16 bytes of each, by which a search chooses the photos that it compares.
package struct PhotoSketches: Equatable, Sendable {
    private typealias Sketch = SIMD2<UInt64>

    static let stride = PhotoTraits.dimensions / 8
    private var sketches: [SIMD2<UInt64>] = []

    package var isEmpty: Bool { sketches.isEmpty }

    init(_ photos: PhotoTraits) {
        sketches = (0..<photos.count).map { number in
            let vector = photos.bytes[
                number * PhotoTraits.stride..<number * PhotoTraits.stride + PhotoTraits.dimensions]
            var sketch = Sketch()
            for (index, value) in vector.enumerated() where value < 0 { sketch[index / 64] |= 1 << UInt64(index % 64) }
            return sketch
        }
    }

    /// The sketches, and their number in the last byte. The bytes of a subject end with them.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for sketch in sketches {
            for word in [sketch[0], sketch[1]] { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
        }
        return bytes + [UInt8(sketches.count)]
    }

    /// Whether the bytes are those of `encoded`.
    static func areEncoded(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let count = bytes.last else { return false }
        return count <= PhotoTraits.maxPhotos && bytes.count == Int(count) * stride + 1
    }

    /// Returns those of `MatchSubject.encoded` that are of sketches.
    package static func encoded(inSubject bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.suffix(Int(bytes.last ?? 0) * stride + 1))
    }

    /// Estimates, except for a constant, the bits of the likeness of photos with those that have encoded sketches; nil if there are
    /// none.
    package func bits(_ encoded: UnsafeRawBufferPointer) -> Double? {
        guard encoded.count > 1, Self.areEncoded(encoded) else { return nil }
        var differences = PhotoTraits.dimensions
        for position in Swift.stride(from: 0, to: encoded.count - 1, by: Self.stride) {
            let other = Sketch(
                UInt64(littleEndian: encoded.loadUnaligned(fromByteOffset: position, as: UInt64.self)),
                UInt64(littleEndian: encoded.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self))
            )
            for sketch in sketches {
                let different = sketch ^ other
                differences = min(differences, different[0].nonzeroBitCount + different[1].nonzeroBitCount)
            }
        }
        return LikenessComparison.bits(signsThatDiffer: differences)
    }
}

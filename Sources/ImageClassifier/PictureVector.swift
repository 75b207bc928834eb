import Foundation

/// A short vector of a picture. Its likeness to that of another picture tells whether both show the same individual.
public struct PictureVector: Sendable, Hashable {
    /// A unit vector, times the scale of the projection.
    public let bytes: [Int8]

    public init(bytes: [Int8]) {
        self.bytes = bytes
    }

    /// Returns the cosine of the angle between two vectors of the same model and version; 0 if one of them is zero.
    public func likeness(to other: PictureVector) -> Double {
        var (product, own, others): (Int32, Int32, Int32) = (0, 0, 0)
        for (a, b) in zip(bytes, other.bytes) {
            product += Int32(a) * Int32(b)
            own += Int32(a) * Int32(a)
            others += Int32(b) * Int32(b)
        }
        guard own > 0, others > 0 else { return 0 }
        return Double(product) / (Double(own) * Double(others)).squareRoot()
    }
}

/// Shortens the features of a network to a vector of bytes: the square roots are multiplied by a matrix, and the result is
/// scaled to one length and rounded.
///
/// Without the square root, a few strong features decide. See the decision "Vectors of photos".
struct FeatureProjection: Sendable {
    private let matrix: [Float]
    private let dimensions: Int
    private let scale: Float

    /// - Parameters:
    ///   - file: The matrix, row by row, as half-precision floating point numbers (IEEE 754) in little-endian order.
    ///   - features: The number of features, which is that of the columns.
    init(_ manifest: ModelManifest.Projection, _ file: Data, features: Int) throws(ModelError) {
        let count = manifest.dimensions * features
        guard file.count == 2 * count else {
            let form = "the number of rows of a matrix with \(features) columns in \(file.count) bytes"
            throw .manifest(field: "features.projection.dimensions", expected: form, found: "\(manifest.dimensions)")
        }
        matrix = file.withUnsafeBytes { bytes in
            (0..<count).map { index in
                let bits = bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
                return Float(Float16(bitPattern: UInt16(littleEndian: bits)))
            }
        }
        if let index = matrix.firstIndex(where: { !$0.isFinite }) { throw .notFinite(output: index) }
        (dimensions, scale) = (manifest.dimensions, Float(manifest.scale))
    }

    /// Returns nil for features that are all zero.
    func vector(_ features: [Float]) -> PictureVector? {
        let roots = features.map { max($0, 0).squareRoot() }
        let values = (0..<dimensions).map { row in
            var sum: Float = 0
            for (column, root) in roots.enumerated() { sum += matrix[row * roots.count + column] * root }
            return sum
        }
        let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        guard length > 0, length.isFinite else { return nil }
        return PictureVector(
            bytes: values.map { Int8(max(-127, min(127, (scale * $0 / length).rounded(.toNearestOrEven)))) })
    }
}

/// The hash of a photo and its vector by a model, by which copies of the photo are recognised.
package struct PhotoFingerprint: Equatable, Sendable {
    /// The bits in which the hashes of copies can differ, unless their vectors are nearly the same.
    package static let maxDistance = 14

    package let hash: PictureHash
    /// The vector, and the name and version of its model.
    package let vector: [Int8]
    package let model: String

    package init(hash: PictureHash, vector: [Int8], model: String) {
        (self.hash, self.vector, self.model) = (hash, vector, model)
    }

    /// Whether both photos are one picture, though one may be scaled, compressed, mirrored, brightened or cut.
    /// See the decision "Copies of photos".
    package func isCopy(of other: PhotoFingerprint) -> Bool {
        let lengths = [vector.count, other.vector.count]
        guard model == other.model, lengths.allSatisfy({ $0 == PhotoTraits.dimensions }) else { return false }
        let (likeness, distance) = (cosine(vector, other.vector), hash.distance(to: other.hash))
        return likeness >= 0.985 || likeness >= 0.95 && distance <= Self.maxDistance
            || likeness >= 0.85 && distance <= 8
    }
}

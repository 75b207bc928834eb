/// The breeds that a text means by which listings are filtered.
package struct BreedGroup: Sendable {
    /// The breed or type with exactly this name.
    package let named: Breed?
    /// All breeds of the group, `named` included.
    package let breeds: [Breed]
    /// Folded texts: a listing belongs to the group, too, if its own text of the breed contains all words of one of them.
    /// Empty if the text names a single breed, to which a cross such as "Labrador mix" does not belong.
    package let texts: [String]
}

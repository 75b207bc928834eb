/// The kinds of animal a listing can be of.
package enum Species: String, CaseIterable, Sendable {
    case dog
    case cat
    case other
}

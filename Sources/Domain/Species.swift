/// The kind of animal in a listing; `other` means any animal except dogs and cats.
package enum Species: String, CaseIterable, Sendable {
    case dog
    case cat
    case other
}

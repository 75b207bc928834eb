/// Returns whether one insertion, deletion, replacement or transposition of neighbours turns one word into the other.
package func isOneEdit(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard abs(left.count - right.count) <= 1, left != right else { return false }
    let start = zip(left, right).prefix { $0 == $1 }.count
    let end = zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
    if start + end >= max(left.count, right.count) - 1 { return true }
    return left.count == right.count && start + end >= left.count - 2
        && left[start] == right[start + 1] && left[start + 1] == right[start]
}

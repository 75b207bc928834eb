/// How many listings the board has, and how many animals are home again.
package struct BoardFigures: Sendable {
    /// The listings on the board by status.
    package var open: [Listing.Status: Int] = [:]
    package var reunited = 0
    /// In the last 30 days.
    package var recentlyReunited = 0

    package init() {}
}

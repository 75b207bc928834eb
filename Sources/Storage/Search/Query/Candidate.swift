import Domain

/// A listing that may fulfil the query, and its position.
struct Candidate {
    let key: Int64
    let point: Coordinate
}

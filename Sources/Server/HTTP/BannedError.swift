import Domain

/// The error that a request of a banned account gets. The response states the reason for the ban and when it ends.
struct BannedError: Error {
    let ban: Ban
}

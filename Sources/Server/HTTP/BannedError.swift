import Domain

/// What somebody whose account is banned asks for; they are told why they do not get it, and until when.
struct BannedError: Error {
    let ban: Ban
}

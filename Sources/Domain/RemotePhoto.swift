/// A photo of a listing at an address of another service, from the row of an import.
package struct RemotePhoto: Sendable {
    package enum State: String, CaseIterable, Sendable {
        case waiting
        case stored
        case failed
    }

    /// Why a photo was not fetched.
    package enum Problem: String, CaseIterable, Sendable {
        /// The address is none, or one that requests may not go to.
        case notPermitted = "not_permitted"
        /// Anything but an answer with the status 200 and a file.
        case refused
        case tooLarge = "too_large"
        case timedOut = "timed_out"
        case unreachable
        case untrusted
        /// The answer cannot be read as a photo.
        case noPhoto = "no_photo"
        /// The listing or the account has as many photos as it may have.
        case full

        /// Whether another attempt would fail likewise.
        package var isFinal: Bool {
            switch self {
            case .notPermitted, .tooLarge, .noPhoto, .full: true
            case .refused, .timedOut, .unreachable, .untrusted: false
            }
        }
    }

    /// The photos of an import by what became of them.
    package struct Counts: Equatable, Sendable {
        /// Those that were not tried yet, and those that are tried again.
        package var waiting = 0
        /// Those of `waiting` that are tried again.
        package var retried = 0
        package var stored = 0
        package var failed = 0

        package init() {}

        package var total: Int { waiting + stored + failed }
    }

    /// Photos of an import at one host that were not fetched for the same reason.
    package struct Failure: Equatable, Sendable {
        package let problem: Problem
        package let host: String
        package let count: Int
        /// One of the addresses.
        package let url: String

        package init(problem: Problem, host: String, count: Int, url: String) {
            (self.problem, self.host, self.count, self.url) = (problem, host, count, url)
        }
    }

    package let key: Int64
    /// The `Listing.key`.
    package let listing: Int64
    /// The `Account.key` of the owner.
    package let account: Int64
    package let url: String
    package let host: String
    /// The attempts so far, with the one that begins.
    package let attempts: Int
    package let language: Language

    /// In characters.
    package static let maxLength = 2_000
    /// The seconds after which each attempt but the last is repeated.
    package static let pauses: [Double] = [300, 3_600, 6 * 3_600, 24 * 3_600]
    /// The seconds after which an attempt whose end is not known is repeated: the process was killed, for example.
    package static let lease = 120.0

    package init(
        key: Int64,
        listing: Int64,
        account: Int64,
        url: String,
        host: String,
        attempts: Int,
        language: Language
    ) {
        (self.key, self.listing, self.account) = (key, listing, account)
        (self.url, self.host, self.attempts, self.language) = (url, host, attempts, language)
    }

    /// Returns the host with its port, in small letters, if a text is an address that may be that of a photo.
    package static func host(of text: String) -> String? {
        let start = text.prefix(8).lowercased()
        guard text.count <= maxLength, start.hasPrefix("https://") || start.hasPrefix("http://") else { return nil }
        let authority = text.drop { $0 != "/" }.dropFirst(2).prefix { !"/?#".contains($0) }
        return authority.isEmpty ? nil : authority.lowercased()
    }
}

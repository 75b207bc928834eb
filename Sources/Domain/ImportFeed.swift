package import Foundation

/// A file at an address that is imported at intervals.
package struct ImportFeed: Sendable {
    /// The result of the last attempt to fetch the file.
    package enum Outcome: String, CaseIterable, Sendable {
        case imported
        /// The server says that the file is the one of the last import.
        case unchanged
        /// Anything but an answer with the status 200 and a file.
        case refused
        case tooLarge = "too_large"
        case timedOut = "timed_out"
        case unreachable
        case untrusted
        /// Too many imports of the account have not ended.
        case busy
        case failed
    }

    /// The settings that an account chooses.
    package struct Order: Sendable {
        package let url: String
        /// In hours.
        package let interval: Int
        package let listings: ListingImport.Order

        package init(url: String, interval: Int, listings: ListingImport.Order) {
            (self.url, self.interval, self.listings) = (url, interval, listings)
        }
    }

    /// The validators of a version of a file (RFC 9110, 8.8).
    package struct Validators: Equatable, Sendable {
        package let entityTag: String?
        package let lastModified: String?

        /// Values of another form, or longer ones, are as none. They are sent back in headers, which are ASCII.
        package init(entityTag: String?, lastModified: String?) {
            self.entityTag = entityTag.flatMap { tag in
                tag.utf8.count <= 200 && tag.utf8.allSatisfy { $0 < 0x7F }
                    && tag.wholeMatch(of: /(W\/)?"[\x21\x23-\x7E]*"/) != nil ? tag : nil
            }
            self.lastModified = lastModified.flatMap { time in
                // Letters and digits of other scripts match \d.
                time.utf8.allSatisfy { $0 < 0x7F }
                    && time.wholeMatch(of: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/) != nil
                    ? time : nil
            }
        }
    }

    package let key: Int64
    package let id: UUID
    /// The `Account.key` of the owner.
    package let owner: Int64
    package let order: Order
    package let createdAt: Timestamp
    package let nextAt: Timestamp
    package let lastAt: Timestamp?
    package let lastOutcome: Outcome?
    /// The `ListingImport.id` of the last import.
    package let lastImport: UUID?
    /// Those of the file of the last import.
    package let validators: Validators

    /// In hours.
    package static let intervals = 1...168
    package static let defaultInterval = 24
    package static let maxCount = 5
    /// An unchanged file is fetched all the same after this time, in days: its rows renew listings, which expire else, and
    /// others may be understood now.
    package static let maxUnchanged = 7

    package init(
        key: Int64,
        id: UUID,
        owner: Int64,
        order: Order,
        createdAt: Timestamp,
        nextAt: Timestamp,
        lastAt: Timestamp?,
        lastOutcome: Outcome?,
        lastImport: UUID?,
        validators: Validators
    ) {
        (self.key, self.id, self.owner, self.order) = (key, id, owner, order)
        (self.createdAt, self.nextAt, self.lastAt) = (createdAt, nextAt, lastAt)
        (self.lastOutcome, self.lastImport, self.validators) = (lastOutcome, lastImport, validators)
    }
}

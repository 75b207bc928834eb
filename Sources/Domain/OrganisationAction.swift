package import Foundation

/// An action of a member, a key or an import for an organisation, shown to its managers.
package struct OrganisationAction: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case edit = "organisation.edit"
        case requireSecondFactor = "second_factor.require"
        case allowNoSecondFactor = "second_factor.allow_none"
        case invite = "member.invite"
        case withdraw = "member.withdraw"
        case join = "member.join"
        case setRole = "member.role"
        case remove = "member.remove"
        case leave = "member.leave"
        case makeKey = "key.make"
        case revokeKey = "key.revoke"
        case postListing = "listing.post"
        case editListing = "listing.edit"
        case setStatus = "listing.status"
        case renewListing = "listing.renew"
        case removeListing = "listing.remove"
        case editRecord = "listing.record"
        case answerYes = "match.yes"
        case answerNo = "match.no"
        case answerUnsure = "match.unsure"
        case withdrawAnswer = "match.withdraw"
        case home = "match.home"
        case notHome = "match.not_home"
        case importListings = "import.listings"
        case addSocialAccount = "social.add"
        case removeSocialAccount = "social.remove"
    }

    package let key: Int64
    package let at: Timestamp
    package let kind: Kind
    /// The `Account.id` and the name of who did it; nil after the account was deleted.
    package let actor: UUID?
    package let actorName: String?
    /// The `Listing.id` of a listing, the `ListingImport.id` of an import, or the `Account.id` of another member.
    package let subject: UUID?
    /// The name of a key or of an animal, a role or a status, or an `ImportCounts`.
    package let detail: String?
    /// The name of the key with which it was done; nil if a person did it.
    package let keyName: String?

    package init(
        key: Int64,
        at: Timestamp,
        kind: Kind,
        actor: UUID?,
        actorName: String?,
        subject: UUID?,
        detail: String?,
        keyName: String? = nil
    ) {
        (self.key, self.at, self.kind, self.subject, self.detail) = (key, at, kind, subject, detail)
        (self.actor, self.actorName, self.keyName) = (actor, actorName, keyName)
    }

    /// The counts of an import, as the detail of its action.
    package struct ImportCounts: Equatable, Sendable {
        package let file: String
        package var created = 0
        package var updated = 0
        package var closed = 0

        package init(file: String) { self.file = file }

        /// For example `12/3/1 dogs.csv`.
        package var detail: String { "\(created)/\(updated)/\(closed) \(file)" }

        package init?(detail: String) {
            guard let match = detail.wholeMatch(of: #/(\d+)\/(\d+)\/(\d+) (.+)/#), let created = Int(match.1),
                let updated = Int(match.2), let closed = Int(match.3)
            else { return nil }
            file = String(match.4)
            (self.created, self.updated, self.closed) = (created, updated, closed)
        }
    }

    /// The days after which an action is forgotten.
    package static let days = 365
}

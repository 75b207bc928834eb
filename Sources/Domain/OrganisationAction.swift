package import Foundation

/// What a member did for an organisation, for its managers.
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
        case editListing = "listing.edit"
        case setStatus = "listing.status"
        case renewListing = "listing.renew"
        case removeListing = "listing.remove"
    }

    package let key: Int64
    package let at: Timestamp
    package let kind: Kind
    /// The `Account.id` and the name of who did it; nil after the account was deleted.
    package let actor: UUID?
    package let actorName: String?
    /// The `Listing.id` of a listing, or the `Account.id` of another member.
    package let subject: UUID?
    /// The name of a key or of an animal, a role or a status.
    package let detail: String?

    package init(
        key: Int64,
        at: Timestamp,
        kind: Kind,
        actor: UUID?,
        actorName: String?,
        subject: UUID?,
        detail: String?
    ) {
        (self.key, self.at, self.kind, self.subject, self.detail) = (key, at, kind, subject, detail)
        (self.actor, self.actorName) = (actor, actorName)
    }

    /// The days after which an action is forgotten.
    package static let days = 365
}

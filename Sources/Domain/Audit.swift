package import Foundation

/// The record of admins' actions.
package enum Audit {
    /// The person or program that took an action, identified by ids and never by e-mail addresses.
    package enum Actor: Sendable {
        /// An account, by its UUID.
        case account(UUID)
        /// The command line, run by this user of the operating system.
        case commandLine(user: String)
        /// The service, without a person's request.
        case service

        /// The command line with the current user of the operating system.
        package static var commandLine: Actor { .commandLine(user: ProcessInfo.processInfo.userName) }

        package var text: String {
            switch self {
            case .account(let id): id.uuidString.lowercased()
            case .commandLine(let user): "command-line:\(user)"
            case .service: "service"
            }
        }
    }

    package enum Action: String, CaseIterable, Sendable {
        case accountRole = "account.role"
        case accountPassword = "account.password"
        case accountSecondFactor = "account.second_factor"
        case accountBan = "account.ban"
        case accountUnban = "account.unban"
        case accountRemove = "account.remove"
        case organisationVerify = "organisation.verify"
        case organisationUnverify = "organisation.unverify"
        case listingEdit = "listing.edit"
        case listingHide = "listing.hide"
        case listingRestore = "listing.restore"
        case listingJoin = "listing.join"
        case listingPart = "listing.part"
        case listingRemove = "listing.remove"
        case photoRemove = "photo.remove"
        case sightingRemove = "sighting.remove"
        case reportDismiss = "report.dismiss"
        case reportUphold = "report.uphold"
        case listingsImport = "listings.import"
        case poisImport = "pois.import"
        case gazetteerImport = "gazetteer.import"
        case gazetteerRemove = "gazetteer.remove"
        case socialAccountAdd = "social.add"
        case socialAccountRemove = "social.remove"
        case databaseBackup = "database.backup"
        case databaseRestore = "database.restore"
    }

    package struct Entry: Sendable {
        /// Numbered from 1 without gaps.
        package let id: Int64
        package let at: String
        package let actor: String
        package let action: String
        /// A UUID, or the name of a source.
        package let subject: String?
        package let note: String?
        /// The SHA-256 digest of the entry and the previous entry's digest.
        package let digest: Data

        package init(
            id: Int64,
            at: String,
            actor: String,
            action: String,
            subject: String?,
            note: String?,
            digest: Data
        ) {
            (self.id, self.at, self.actor, self.action) = (id, at, actor, action)
            (self.subject, self.note, self.digest) = (subject, note, digest)
        }
    }
}

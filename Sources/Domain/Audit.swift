package import Foundation

/// The record of what admins do.
package enum Audit {
    /// Who did it. Told by ids, never by e-mail addresses.
    package enum Actor: Sendable {
        /// An account, by its UUID.
        case account(UUID)
        /// The command line, as this user of the system.
        case commandLine(user: String)
        /// The service by itself.
        case service

        /// The command line as it runs now.
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
        case accountBan = "account.ban"
        case accountUnban = "account.unban"
        case accountRemove = "account.remove"
        case listingHide = "listing.hide"
        case listingRestore = "listing.restore"
        case listingRemove = "listing.remove"
        case photoRemove = "photo.remove"
        case reportDismiss = "report.dismiss"
        case reportUphold = "report.uphold"
        case listingsImport = "listings.import"
        case poisImport = "pois.import"
        case gazetteerImport = "gazetteer.import"
        case gazetteerRemove = "gazetteer.remove"
        case databaseBackup = "database.backup"
        case databaseRestore = "database.restore"
    }

    package struct Entry: Sendable {
        /// Counts from 1 without gaps.
        package let id: Int64
        package let at: String
        package let actor: String
        package let action: String
        /// A UUID, or the name of a source.
        package let subject: String?
        package let note: String?
        /// SHA-256 of the entry and of the digest before.
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
            self.id = id
            self.at = at
            self.actor = actor
            self.action = action
            self.subject = subject
            self.note = note
            self.digest = digest
        }
    }
}

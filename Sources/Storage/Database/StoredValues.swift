package import Domain
import Foundation
package import SQL

extension Encodable {
    /// The value in JSON, as columns and lists of values in statements have it.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

/// Enumerations are stored as the text of their case.
extension SQLReadable where Self: RawRepresentable<String> {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard let text = String(row, column) else { return nil }
        self.init(rawValue: text)
    }
}

extension ListingCode: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard let text = String(row, column) else { return nil }
        self.init(text)
    }
}

extension Account.Role: SQLReadable {}
extension OrganisationAction.Kind: SQLReadable {}
extension Language: SQLReadable {}
extension Listing.Status: SQLReadable {}
extension ImportedRow.Outcome: SQLReadable {}
extension ListingImport.CloseMissing: SQLReadable {}
extension ImportFeed.Outcome: SQLReadable {}
extension ListingImport.State: SQLReadable {}
extension RemotePhoto.Problem: SQLReadable {}
extension RemotePhoto.State: SQLReadable {}
extension MatchAnswer: SQLReadable {}
extension NotificationSettings.Frequency: SQLReadable {}
extension OutgoingEvent.Urgency: SQLReadable {}
extension Organisation.Role: SQLReadable {}
extension Report.Reason: SQLReadable {}
extension Report.Status: SQLReadable {}
extension Report.Subject: SQLReadable {}
extension Sighting.State: SQLReadable {}
extension SocialAccount.Problem: SQLReadable {}
extension SocialAccount.Service: SQLReadable {}
extension Species: SQLReadable {}
extension TimelineEntry.Kind: SQLReadable {}
extension Track.Kind: SQLReadable {}
extension Track.Visibility: SQLReadable {}
extension Webhook.Outcome: SQLReadable {}

import Domain
import SQL

extension ChannelStore {
    /// Stores for the webhooks of an account that one of its alerts has found a listing. The event names the listing and
    /// says nothing of it, since it may be hidden or changed when the event arrives.
    static func append(
        _ finding: AlertStore.Finding,
        to account: Int64,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        guard try db.exists("SELECT 1 FROM webhook WHERE account_id = ? AND disabled_at IS NULL", [account]) else {
            return
        }
        let event = try db.row(
            """
            SELECT alert.uuid AS alert, alert.name AS name, listing.uuid AS listing FROM alert, listing
            WHERE alert.id = ? AND listing.id = ?
            """,
            [finding.alert, finding.listing]
        ) { row in
            let (listing, name): (String, String?) = (try row["listing"], try row["name"])
            return OutgoingEvent(
                type: "alert.listing",
                key: "alert-\(listing)-\(finding.status)",
                data: [
                    "alert": ["id": .string(try row["alert"]), "name": name.map(JSONValue.string) ?? .null],
                    "listing": ["id": .string(listing), "status": .string(finding.status)],
                    "probability": finding.probability.map(JSONValue.number) ?? .null,
                ],
                push: [:]
            )
        }
        if var event {
            event.turn = finding.turn
            _ = try appendToWebhooks(event, of: account, nil, at: now, db)
        }
    }
}

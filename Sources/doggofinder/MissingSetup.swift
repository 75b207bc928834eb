import Domain
import Storage

/// Settings that an operator has not made yet, each with the command or option that makes it.
enum MissingSetup {
    static func messages(_ database: any Database, hasMail: Bool, _ site: SiteSettings) async throws -> [String] {
        var messages: [String] = []
        if try await AccountStore(database).findAccounts(role: .admin, limit: 1).isEmpty {
            messages.append("there is no admin: doggofinder accounts add EMAIL --admin")
        }
        if try PointOfInterestStore(database).isEmpty {
            messages.append(
                "there are no vets and shelters on the map: take the extract of your region from https://download.geofabrik.de, "
                    + "then doggofinder osm import REGION.osm.pbf"
            )
        }
        if !hasMail { messages.append("no mail is sent, so nobody can reset a forgotten password: serve with --mail") }
        if site.contact == nil || site.imprint == nil || site.privacy == nil {
            messages.append("visitors are not told who runs this site: serve with --contact, --imprint and --privacy")
        }
        return messages
    }
}

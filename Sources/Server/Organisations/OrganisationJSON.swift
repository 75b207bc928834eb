import Domain
import Formats
import HTTP
import Storage

extension JSONWriter {
    mutating func organisation(_ organisation: Organisation, _ countries: Countries, role: Organisation.Role? = nil) {
        object { json in
            let content = organisation.content
            json.field("id", organisation.id.lowercased)
            json.field("name", content.name)
            json.field("verified", organisation.isVerified)
            json.field("about", content.about)
            json.field("website", content.website)
            json.field("phone", content.phone)
            json.field("phone_e164", TelephoneNumber.e164(of: content.phone, in: countries.country(at: content.point)))
            json.field("email", content.email)
            json.field("address", content.address)
            json.field("lon", content.point?.lon)
            json.field("lat", content.point?.lat)
            json.field("created_at", organisation.createdAt.text)
            if let role { json.field("role", role.rawValue) }
        }
    }

    mutating func member(_ member: Organisation.Member) {
        object { json in
            json.field("id", member.id.lowercased)
            json.field("name", member.name)
            json.field("role", member.role.rawValue)
            json.field("since", member.since.text)
        }
    }

    /// Writes the id and the name of an organisation; nothing if there is none.
    mutating func field(_ name: StaticString, _ label: Organisation.Label?) {
        guard let label else { return }
        object(name) { json in
            json.field("id", label.id.lowercased)
            json.field("name", label.name)
            json.field("verified", label.isVerified)
        }
    }

    mutating func invitation(_ invitation: Organisation.Invitation) {
        object { json in
            json.field("id", invitation.id.lowercased)
            json.field("organisation", invitation.organisation)
            json.field("email", invitation.email)
            json.field("role", invitation.role.rawValue)
            json.field("created_at", invitation.createdAt.text)
            json.field("expires_at", invitation.expiresAt.text)
        }
    }

    mutating func action(_ action: OrganisationAction) {
        object { json in
            json.field("at", action.at.text)
            json.field("action", action.kind.rawValue)
            json.field("actor", action.actor?.lowercased)
            json.field("actor_name", action.actorName)
            json.field("subject", action.subject?.lowercased)
            json.field("detail", action.detail)
            json.field("key_name", action.keyName)
        }
    }

    /// - Parameter token: the token of a new key, which only its maker sees, and only once.
    mutating func key(_ key: APIKey, token: String? = nil) {
        object { json in
            json.field("id", key.id.lowercased)
            json.field("name", key.name)
            json.array("scopes", APIKey.Scope.allCases.filter(key.scopes.contains)) { $0.string($1.rawValue) }
            json.field("created_at", key.createdAt.text)
            json.field("expires_at", key.expiresAt.text)
            json.field("last_used_at", key.lastUsedAt?.text)
            if let token { json.field("token", token) }
        }
    }
}

package import Foundation

/// A shelter, a pound or an association: an account for which its members act.
package struct Organisation: Equatable, Sendable {
    /// The rights of a member.
    package enum Role: String, CaseIterable, Sendable {
        /// Edits the organisation and decides who is a member; deletes its listings.
        case manager
        /// Posts, edits, renews and closes its listings.
        case volunteer
    }

    /// The `Account.key` of the organisation.
    package let key: Int64
    /// That of the account.
    package let id: UUID
    package let content: Content
    /// The time at which an admin verified who it is; nil if nobody has.
    package let verifiedAt: Timestamp?
    /// Whether members without a second factor can only read.
    package let requiresSecondFactor: Bool
    /// Starts at 1 and increases with each edit.
    package let version: Int
    package let createdAt: Timestamp

    package init(
        key: Int64,
        id: UUID,
        content: Content,
        verifiedAt: Timestamp?,
        requiresSecondFactor: Bool = false,
        version: Int,
        createdAt: Timestamp
    ) {
        (self.key, self.id, self.content) = (key, id, content)
        (self.verifiedAt, self.requiresSecondFactor) = (verifiedAt, requiresSecondFactor)
        (self.version, self.createdAt) = (version, createdAt)
    }

    package var isVerified: Bool { verifiedAt != nil }

    /// The maximum number of organisations that an account is a member of.
    package static let maxPerAccount = 20
    package static let maxMembers = 100
    /// The maximum number of invitations that wait for an answer.
    package static let maxInvitations = 100
    /// The days after which an invitation expires.
    package static let invitationDays = 14
}

extension Organisation {
    /// The description that managers write. Everybody sees it.
    package struct Content: Equatable, Sendable {
        package var name = ""
        package var about: String?
        /// An https URL.
        package var website: String?
        package var phone: String?
        package var email: String?
        package var address: String?
        package var point: Coordinate?

        package init() {}

        /// The origin of the web site, such as `https://example.org`; nil if there is none.
        package var site: String? {
            guard let address = website.flatMap(URL.init(string:)), let host = address.host(percentEncoded: true),
                host.wholeMatch(of: /[A-Za-z0-9.-]+/) != nil
            else { return nil }
            return "https://" + host.lowercased() + (address.port.map { ":\($0)" } ?? "")
        }

        package static let fieldNames = ["about", "address", "email", "lat", "lon", "name", "phone", "website"]

        /// The maximum lengths in Unicode scalars.
        package enum MaxLength {
            package static let name = 120
            package static let about = 4000
            package static let address = 200
        }

        /// Sets the given fields: null clears a field, and fields that are not given remain.
        package mutating func apply(_ fields: [String: JSONValue]) throws(ServiceError) {
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) { try apply(Field(name, value)) }
            guard !name.isEmpty else { throw .invalid("name", "expected the name of the organisation") }
            if fields["lon"] != nil || fields["lat"] != nil { try setPoint(fields) }
        }

        private mutating func apply(_ field: Field) throws(ServiceError) {
            switch field.name {
            case "name": name = try field.text(atMost: MaxLength.name) ?? ""
            case "about": about = try field.text(atMost: MaxLength.about, lines: true)
            case "website": website = try field.webAddress()
            case "phone": phone = try field.phone()
            case "email": email = try field.email()
            case "address": address = try field.text(atMost: MaxLength.address)
            case "lon", "lat": break
            default:
                let known = Self.fieldNames.joined(separator: ", ")
                throw .invalid(field.name, "is not a field here: expected \(known)")
            }
        }

        private mutating func setPoint(_ fields: [String: JSONValue]) throws(ServiceError) {
            let lon = try Field("lon", fields["lon"] ?? .null).degrees(within: 180)
            let lat = try Field("lat", fields["lat"] ?? .null).degrees(within: 90)
            guard (lon == nil) == (lat == nil) else { throw .invalid("lon", "expected together with lat") }
            point = if let lon, let lat { Coordinate(lon: lon, lat: lat) } else { nil }
        }
    }

    /// The name of an organisation next to its listings.
    package struct Label: Equatable, Sendable {
        package let id: UUID
        package let name: String
        package let isVerified: Bool

        package init(id: UUID, name: String, isVerified: Bool) {
            (self.id, self.name, self.isVerified) = (id, name, isVerified)
        }
    }

    package var label: Label { Label(id: id, name: content.name, isVerified: isVerified) }

    /// An organisation with the role of one of its members.
    package struct Membership: Sendable {
        package let organisation: Organisation
        package let role: Role

        package init(organisation: Organisation, role: Role) {
            (self.organisation, self.role) = (organisation, role)
        }
    }

    package struct Member: Sendable {
        /// The `Account.id`.
        package let id: UUID
        package let name: String?
        package let role: Role
        package let since: Timestamp
        package let hasSecondFactor: Bool

        package init(id: UUID, name: String?, role: Role, since: Timestamp, hasSecondFactor: Bool = false) {
            (self.id, self.name, self.role, self.since) = (id, name, role, since)
            self.hasSecondFactor = hasSecondFactor
        }
    }

    package struct Invitation: Sendable {
        package let id: UUID
        package let organisation: Label
        /// The address that was invited, whether or not it has an account.
        package let email: String
        package let role: Role
        package let createdAt: Timestamp
        package let expiresAt: Timestamp

        package init(
            id: UUID,
            organisation: Label,
            email: String,
            role: Role,
            createdAt: Timestamp,
            expiresAt: Timestamp
        ) {
            (self.id, self.organisation, self.email) = (id, organisation, email)
            (self.role, self.createdAt, self.expiresAt) = (role, createdAt, expiresAt)
        }
    }
}

extension Account {
    /// The account as it may change something: without the organisations for which it can only read, because they require a second
    /// factor that it has not.
    package var writing: Account {
        readOnlyOrganisations.isEmpty
            ? self
            : with(memberships: memberships.filter { !readOnlyOrganisations.contains($0.key) }, readOnlyOrganisations)
    }

    /// The keys of the account and of the organisations that it is a member of.
    package var owners: [Int64] { [key] + memberships.keys.sorted() }

    /// Whether the account is the owner, or a member of the organisation that is.
    package func acts(for owner: Int64) -> Bool { key == owner || memberships[owner] != nil }

    /// Whether the account is the owner, or a manager of the organisation that is.
    package func manages(_ owner: Int64) -> Bool { key == owner || memberships[owner] == .manager }
}

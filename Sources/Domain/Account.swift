package import Foundation

/// The account of a person or organisation: an anonymous guest, a registered user, an admin or an
/// organisation.
package struct Account: Equatable, Sendable {
    package enum Role: String, CaseIterable, Sendable {
        case guest
        case user
        case admin
        /// Has no password: its members and keys act for it.
        case organisation
    }

    /// The primary key in the database; never published.
    package let key: Int64
    package let id: UUID
    package let role: Role
    /// Nil for guests and organisations.
    package let email: String?
    /// Whether a mail or the operator has confirmed that the address belongs to the person.
    package let isEmailConfirmed: Bool
    /// The confirmed address to which a guest has sent a private link; nil for others.
    package let linkEmail: String?
    package let profile: Profile
    /// The language of messages to the account; nil if unknown.
    package let language: Language?
    package let disabled: Bool
    /// Whether signing in takes a code besides the password.
    package let hasSecondFactor: Bool
    package let createdAt: Timestamp
    /// The roles of the account in organisations that are not banned, by the `key` of each.
    package private(set) var memberships: [Int64: Organisation.Role]
    /// The keys of the organisations for which the account can only read until it has a second factor.
    package private(set) var readOnlyOrganisations: Set<Int64>
    /// The name of the API key with which the account acts; nil for persons.
    package private(set) var keyName: String?

    package init(
        key: Int64,
        id: UUID,
        role: Role,
        email: String?,
        isEmailConfirmed: Bool = true,
        linkEmail: String? = nil,
        profile: Profile,
        language: Language? = nil,
        disabled: Bool,
        hasSecondFactor: Bool = false,
        createdAt: Timestamp,
        memberships: [Int64: Organisation.Role] = [:],
        readOnlyOrganisations: Set<Int64> = [],
        keyName: String? = nil
    ) {
        (self.key, self.id, self.role) = (key, id, role)
        (self.email, self.isEmailConfirmed, self.linkEmail) = (email, isEmailConfirmed, linkEmail)
        (self.profile, self.language) = (profile, language)
        (self.disabled, self.hasSecondFactor) = (disabled, hasSecondFactor)
        (self.createdAt, self.memberships) = (createdAt, memberships)
        (self.readOnlyOrganisations, self.keyName) = (readOnlyOrganisations, keyName)
    }

    package var hasAddress: Bool { email != nil || linkEmail != nil }

    /// The address for notifications: nil unless it is confirmed.
    package var confirmedEmail: String? { linkEmail ?? (isEmailConfirmed ? email : nil) }

    /// - Parameter readOnly: the keys of the organisations for which the account can only read.
    package func with(memberships: [Int64: Organisation.Role], _ readOnly: Set<Int64> = []) -> Account {
        var copy = self
        (copy.memberships, copy.readOnlyOrganisations) = (memberships, readOnly)
        return copy
    }

    package func with(keyName: String) -> Account {
        var copy = self
        copy.keyName = keyName
        return copy
    }
}

/// Optional data about the owner of an account. It supplies the default contacts of the account's listings.
package struct Profile: Equatable, Sendable {
    package var firstName: String?
    package var lastName: String?
    package var phone: String?
    /// An https URL.
    package var picture: String?

    package init(firstName: String? = nil, lastName: String? = nil, phone: String? = nil, picture: String? = nil) {
        (self.firstName, self.lastName) = (firstName, lastName)
        (self.phone, self.picture) = (phone, picture)
    }

    package var fullName: String? {
        let name = [firstName, lastName].compactMap(\.self).joined(separator: " ")
        return name.isEmpty ? nil : name
    }

    /// The maximum lengths in Unicode scalars.
    package enum MaxLength {
        package static let name = 60
        package static let phone = 40
        package static let email = 254
        package static let picture = 500
    }

    package static let fieldNames = ["first_name", "last_name", "phone", "picture"]

    /// Sets the field with this name. Returns false if the profile has no such field.
    ///
    /// - Parameter country: that of telephone numbers without a country code; nil if it is unknown.
    package mutating func apply(_ field: Field, in country: String? = nil) throws(ServiceError) -> Bool {
        switch field.name {
        case "first_name": firstName = try field.text(atMost: MaxLength.name)
        case "last_name": lastName = try field.text(atMost: MaxLength.name)
        case "phone": phone = try field.phone(in: country)
        case "picture": picture = try field.webAddress()
        default: return false
        }
        return true
    }
}

extension Field {
    /// Returns an e-mail address; nil for null. Throws unless it has one `@` with text on both sides, no white space,
    /// and at most 254 characters (RFC 5321).
    package func email() throws(ServiceError) -> String? {
        let expectation: ErrorMessage = "expected an address like anna@example.org"
        guard let text = try text(atMost: Profile.MaxLength.email) else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count), parts[1].utf8.count >= 3,
            parts[1].contains("."), !parts[1].hasPrefix("."), !parts[1].hasSuffix("."), !parts[1].contains(".."),
            !text.contains(where: { $0.isWhitespace || "<>()[],;:\\\"".contains($0) })
        else { throw invalid(expectation) }
        return text
    }

    /// Returns a telephone number; nil for null. Throws unless the text is one number, perhaps behind a word such as "tel.", and
    /// possible in its country.
    ///
    /// - Parameter country: that of numbers without a country code; nil if it is unknown, or if it has to be looked at later.
    package func phone(in country: String? = nil) throws(ServiceError) -> String? {
        guard let text = try text(atMost: Profile.MaxLength.phone) else { return nil }
        do {
            let number = try TelephoneNumber(parsing: text)
            try number.expectPossible(in: country)
            return number.text
        } catch {
            throw error.serviceError(of: name)
        }
    }

    /// Returns an absolute https URL; nil for null.
    package func webAddress() throws(ServiceError) -> String? {
        guard let text = try text(atMost: Profile.MaxLength.picture) else { return nil }
        guard let url = URL(string: text), url.scheme == "https", url.host()?.isEmpty == false else {
            throw invalid("expected an address like https://example.org/me.jpg")
        }
        return text
    }
}

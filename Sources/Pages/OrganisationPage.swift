package import Domain
import Localization
import Mustache

/// The public page of an organisation with its open listings.
package struct OrganisationView: PageView {
    package static let template = "organisation"
    let id, name: String
    let about, website, phone, call, email, address, onMap, next: String?
    let isVerified: Bool
    let cards: [CardView]
}

/// The organisations and invitations of the viewer.
package struct OwnOrganisationsView: PageView {
    package static let template = "own-organisations"
    /// The inputs of the form of an organisation.
    package static let fields = ["name", "about", "website", "phone", "email", "address"]
    let canCreate: Bool
    let problem: String?
    let profile: OrganisationFormView
    let organisations: [MembershipView]
    let invitations: [InvitationView]

    struct MembershipView: TemplateView {
        let name, role, href, table, owners, members: String
        let isVerified: Bool
    }

    struct InvitationView: TemplateView {
        let id, name, role, href, until: String
        let isVerified: Bool
    }
}

/// The inputs of what everybody sees of an organisation.
struct OrganisationFormView: TemplateView {
    let name, about, website, phone, email, address: InputView

    init(_ inputs: Inputs) {
        (name, about, website) = (inputs["name"], inputs["about"], inputs["website"])
        (phone, email, address) = (inputs["phone"], inputs["email"], inputs["address"])
    }
}

extension PageBuilder {
    /// - Parameter country: that of the organisation.
    package func organisation(
        _ organisation: Organisation,
        in country: String?,
        cards: [ListingCard],
        next: String?
    ) -> OrganisationView {
        let content = organisation.content
        let telephone = content.phone.map { TelephoneView($0, in: country) }
        return OrganisationView(
            id: organisation.id.uuidString.lowercased(), name: content.name, about: content.about,
            website: content.website, phone: telephone?.text,
            call: telephone?.link,
            email: content.email, address: content.address,
            onMap: content.point.map { path("/map?lon=\($0.lon)&lat=\($0.lat)&zoom=15") },
            next: next.map(path), isVerified: organisation.isVerified, cards: self.cards(of: cards)
        )
    }

    package func embeddedOrganisation(_ organisation: Organisation, cards: [ListingCard]) -> EmbeddedBoardView {
        EmbeddedBoardView(
            heading: organisation.content.name,
            whole: origin + "/organisations/\(organisation.id.uuidString.lowercased())",
            cards: self.cards(of: cards)
        )
    }

    /// - Parameter canCreate: whether the viewer is registered.
    package func ownOrganisations(
        memberships: [Organisation.Membership],
        invitations: [Organisation.Invitation],
        canCreate: Bool,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) -> OwnOrganisationsView {
        let inputs = Inputs(values: typed, problem: problem.map(localizer.problem), wrong: problem?.field)
        return OwnOrganisationsView(
            canCreate: canCreate, problem: inputs.problem, profile: OrganisationFormView(inputs),
            organisations: memberships.map { membership in
                let (organisation, id) = (membership.organisation, membership.organisation.id.uuidString.lowercased())
                return OwnOrganisationsView.MembershipView(
                    name: organisation.content.name, role: localizer("org.role.\(membership.role.rawValue)"),
                    href: path("/organisations/\(id)"), table: path("/my/table?organisation=\(id)"),
                    owners: path("/account/organisations/\(id)/matches"),
                    members: path("/account/organisations/\(id)"), isVerified: organisation.isVerified
                )
            },
            invitations: invitations.map { invitation in
                let organisation = invitation.organisation
                return OwnOrganisationsView.InvitationView(
                    id: invitation.id.uuidString.lowercased(), name: organisation.name,
                    role: localizer("org.role.\(invitation.role.rawValue)"),
                    href: path("/organisations/\(organisation.id.uuidString.lowercased())"),
                    until: localizer("org.until", ["time": localizer.moment(invitation.expiresAt)]),
                    isVerified: organisation.isVerified
                )
            }
        )
    }
}

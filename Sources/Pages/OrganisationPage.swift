package import Domain
import Localization
package import Mustache

/// The public page of an organisation with its open listings.
package struct OrganisationPage: Page {
    package let template = "organisation"
    package let section = PageSection.none
    let organisation: Organisation
    let cards: [ListingCard]
    /// The path and query of the next page.
    let next: String?

    package init(_ organisation: Organisation, cards: [ListingCard], next: String?) {
        self.organisation = organisation
        self.cards = cards
        self.next = next
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let content = organisation.content
        return [
            "title": content.name, "isVerified": organisation.isVerified, "about": content.about ?? "",
            "website": content.website ?? "", "phone": content.phone ?? "", "email": content.email ?? "",
            "address": content.address ?? "", "call": "tel:" + (content.phone ?? "").filter { !$0.isWhitespace },
            "onMap": content.point.map { compose.path("/map?lon=\($0.lon)&lat=\($0.lat)&zoom=15") } ?? "",
            "cards": cards.map { $0.content(compose) }, "next": next.map(compose.path) ?? "",
        ]
    }
}

/// The organisations and invitations of the viewer.
package struct OwnOrganisationsPage: Page {
    package let template = "own-organisations"
    package let section = PageSection.account
    /// The inputs of the form for a new organisation.
    package static let fields = ["name", "about", "website", "phone", "email", "address"]
    let memberships: [Organisation.Membership]
    let invitations: [Organisation.Invitation]
    /// Whether the viewer is registered.
    let canCreate: Bool
    let typed: [String: String]
    let problem: ServiceError?

    package init(
        memberships: [Organisation.Membership],
        invitations: [Organisation.Invitation],
        canCreate: Bool,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) {
        self.memberships = memberships
        self.invitations = invitations
        self.canCreate = canCreate
        self.typed = typed
        self.problem = problem
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        return [
            "title": localizer("org.title"), "canCreate": canCreate, "f": typed.templateValues,
            "isTyped": problem != nil, "problem": problem.map(localizer.problem) ?? "",
            "e": problem?.field.map { [$0: true] } ?? [:],
            "organisations": memberships.map { membership in
                let (organisation, id) = (membership.organisation, membership.organisation.id.uuidString.lowercased())
                return [
                    "name": organisation.content.name, "isVerified": organisation.isVerified,
                    "role": localizer("org.role.\(membership.role.rawValue)"),
                    "href": compose.path("/organisations/\(id)"),
                    "table": compose.path("/my/table?organisation=\(id)"),
                    "members": compose.path("/account/organisations/\(id)"),
                ]
            } as [[String: any TemplateValue]],
            "invitations": invitations.map { invitation in
                let id = invitation.organisation.id.uuidString.lowercased()
                return [
                    "id": invitation.id.uuidString.lowercased(), "name": invitation.organisation.name,
                    "isVerified": invitation.organisation.isVerified, "href": compose.path("/organisations/\(id)"),
                    "role": localizer("org.role.\(invitation.role.rawValue)"),
                    "until": localizer("org.until", ["time": localizer.moment(invitation.expiresAt)]),
                ]
            } as [[String: any TemplateValue]],
        ]
    }
}

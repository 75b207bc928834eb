package import Domain
import Foundation
import Localization
package import Mustache

/// The members of an organisation; for its managers, its invitations and keys as well.
package struct MembersPage: Page {
    package let template = "members"
    package let section = PageSection.account
    let organisation: Organisation
    let members: [Organisation.Member]
    let viewer: Account
    /// Nil if the viewer is not a manager.
    let management: Management?
    /// The token of a key that was just made, which is shown once.
    let token: String?
    let typed: [String: String]
    let problem: ServiceError?

    /// What only managers see.
    package struct Management: Sendable {
        let invitations: [Organisation.Invitation]
        let keys: [APIKey]

        package init(invitations: [Organisation.Invitation], keys: [APIKey]) {
            (self.invitations, self.keys) = (invitations, keys)
        }
    }

    package init(
        _ organisation: Organisation,
        members: [Organisation.Member],
        viewer: Account,
        management: Management?,
        token: String? = nil,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) {
        (self.organisation, self.members, self.viewer, self.management) = (organisation, members, viewer, management)
        (self.token, self.typed, self.problem) = (token, typed, problem)
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let id = organisation.id.uuidString.lowercased()
        return [
            "title": organisation.content.name, "href": compose.path("/organisations/\(id)"),
            "table": compose.path("/my/table?organisation=\(id)"),
            "action": compose.path("/account/organisations/\(id)"), "isManager": management != nil,
            "members": members.map { member($0, localizer) }, "token": token ?? "", "f": typed.templateValues,
            "problem": problem.map(localizer.problem) ?? "", "e": problem?.field.map { [$0: true] } ?? [:],
            "invitations": (management?.invitations ?? []).map { invitation -> [String: any TemplateValue] in
                [
                    "id": invitation.id.uuidString.lowercased(), "email": invitation.email,
                    "role": localizer("org.role.\(invitation.role.rawValue)"),
                    "until": localizer("org.until", ["time": localizer.moment(invitation.expiresAt)]),
                ]
            },
            "roles": [Organisation.Role.volunteer, .manager].map { role -> [String: any TemplateValue] in
                [
                    "value": role.rawValue, "label": localizer("org.role.\(role.rawValue)"),
                    "selected": typed["role"] == role.rawValue,
                ]
            },
            "keys": (management?.keys ?? []).map { key($0, localizer) },
            "scopes": APIKey.Scope.allCases.map { scope -> [String: any TemplateValue] in
                ["value": scope.rawValue, "label": localizer("org.scope.\(scope.rawValue)")]
            },
        ]
    }

    private func member(_ member: Organisation.Member, _ localizer: Localizer) -> [String: any TemplateValue] {
        let isManager = member.role == .manager
        return [
            "id": member.id.uuidString.lowercased(), "name": member.name ?? localizer("org.unnamed"),
            "role": localizer("org.role.\(member.role.rawValue)"), "isMe": member.id == viewer.id,
            "otherRole": (isManager ? Organisation.Role.volunteer : .manager).rawValue,
            "change": localizer(isManager ? "org.makeVolunteer" : "org.makeManager"),
        ]
    }

    private func key(_ key: APIKey, _ localizer: Localizer) -> [String: any TemplateValue] {
        let scopes = APIKey.Scope.allCases.filter(key.scopes.contains)
        return [
            "id": key.id.uuidString.lowercased(), "name": key.name,
            "scopes": scopes.map { localizer("org.scope.\($0.rawValue)") }.joined(separator: ", "),
            "ends": localizer("org.keyEnds", ["time": localizer.moment(key.expiresAt)]),
        ]
    }
}

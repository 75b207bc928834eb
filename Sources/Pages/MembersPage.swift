package import Domain
import Foundation
import Localization
import Mustache

/// The members of an organisation; for its managers, its invitations and keys as well.
package struct MembersView: PageView {
    package static let template = "members"
    let heading, href, table, owners, action: String
    let token, problem: String?
    let isManager: Bool
    let needsFactor, lacksFactor, isVerified: Bool
    let actions, social: String
    let site: SiteView?
    let files: [LinkView]
    /// Nil if the viewer is not a manager.
    let profile: ProfileView?
    let name, email: InputView
    let members: [MemberView]
    let invitations: [InvitationView]
    let keys: [KeyView]
    let roles, scopes: [OptionView]

    /// The part of the page that only managers see.
    package typealias Management = (invitations: [Organisation.Invitation], keys: [APIKey])

    /// The code with which the organisation's own web site shows its listings.
    struct SiteView: TemplateView {
        let hint, snippet: String
    }

    /// The form of what everybody sees of the organisation.
    struct ProfileView: TemplateView {
        let action: String
        let isOpen, isVerified: Bool
        let fields: OrganisationFormView
    }

    struct MemberView: TemplateView {
        let action, id, name, role, otherRole, change: String
        let isMe, canChange, lacksFactor: Bool
    }

    struct InvitationView: TemplateView {
        let action, id, email, role, until: String
    }

    struct KeyView: TemplateView {
        let action, id, name, scopes, ends: String
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - management: nil if the viewer is not a manager.
    ///   - token: the token of a key that was just made, which is shown once.
    package func members(
        _ members: [Organisation.Member],
        of organisation: Organisation,
        viewer: Account,
        management: MembersView.Management?,
        token: String? = nil,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) -> MembersView {
        let id = organisation.id.uuidString.lowercased()
        let action = path("/account/organisations/\(id)")
        let typedInputs = Inputs(values: typed, problem: problem.map(localizer.problem), wrong: problem?.field)
        let isEditing = typed["action"] == "profile"
        let inputs = isEditing ? Inputs(problem: typedInputs.problem) : typedInputs
        let profile = isEditing ? typedInputs : Inputs(values: organisation.content.texts)
        return MembersView(
            heading: organisation.content.name, href: path("/organisations/\(id)"),
            table: path("/my/table?organisation=\(id)"), owners: action + "/matches", action: action, token: token,
            problem: inputs.problem,
            isManager: management != nil, needsFactor: organisation.requiresSecondFactor,
            lacksFactor: organisation.requiresSecondFactor && !viewer.hasSecondFactor,
            isVerified: organisation.isVerified, actions: action + "/actions", social: action + "/social",
            site: siteView(organisation),
            files: ["asm3", "petfinder"].map { format in
                LinkView(
                    name: localizer("org.file.\(format)"),
                    href: path("/v1/organisations/\(id)/animals.csv?format=\(format)"))
            },
            profile: management == nil
                ? nil
                : MembersView.ProfileView(
                    action: action, isOpen: isEditing, isVerified: organisation.isVerified,
                    fields: OrganisationFormView(profile)
                ),
            name: inputs["name"], email: inputs["email"],
            members: members.map { member in
                let isManager = member.role == .manager
                return MembersView.MemberView(
                    action: action, id: member.id.uuidString.lowercased(),
                    name: member.name ?? localizer("org.unnamed"),
                    role: localizer("org.role.\(member.role.rawValue)"),
                    otherRole: (isManager ? Organisation.Role.volunteer : .manager).rawValue,
                    change: localizer(isManager ? "org.makeVolunteer" : "org.makeManager"),
                    isMe: member.id == viewer.id, canChange: management != nil && member.id != viewer.id,
                    lacksFactor: management != nil && organisation.requiresSecondFactor && !member.hasSecondFactor
                )
            },
            invitations: (management?.invitations ?? []).map { invitation in
                MembersView.InvitationView(
                    action: action, id: invitation.id.uuidString.lowercased(), email: invitation.email,
                    role: localizer("org.role.\(invitation.role.rawValue)"),
                    until: localizer("org.until", ["time": localizer.moment(invitation.expiresAt)])
                )
            },
            keys: (management?.keys ?? []).map { key in
                let scopes = APIKey.Scope.allCases.filter(key.scopes.contains)
                return MembersView.KeyView(
                    action: action, id: key.id.uuidString.lowercased(), name: key.name,
                    scopes: scopes.map { localizer("org.scope.\($0.rawValue)") }.joined(separator: ", "),
                    ends: localizer("org.keyEnds", ["time": localizer.moment(key.expiresAt)])
                )
            },
            roles: options(Organisation.Role.allCases.reversed(), "org.role", selected: typed["role"]),
            scopes: options(APIKey.Scope.allCases, "org.scope", selected: nil)
        )
    }

    /// Returns nil if the organisation has no web site.
    private func siteView(_ organisation: Organisation) -> MembersView.SiteView? {
        organisation.content.site.map { site in
            let address = origin + "/organisations/\(organisation.id.uuidString.lowercased())/embed"
            let snippet = """
                <iframe src="\(address)" title="\(organisation.content.name.attribute)" width="100%" height="800" \
                style="border: 0" loading="lazy"></iframe>
                """
            return MembersView.SiteView(hint: localizer("org.siteHint", ["site": site]), snippet: snippet)
        }
    }
}

extension Organisation.Content {
    /// The values of the inputs of its form.
    fileprivate var texts: [String: String] {
        ["name": name, "about": about, "website": website, "phone": phone, "email": email, "address": address]
            .compactMapValues { $0 }
    }
}

extension String {
    /// The text as the value of an attribute of HTML in double quotes.
    fileprivate var attribute: String {
        replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
    }
}

package import Domain
import Localization
import Mustache

/// The page of the actions of members for an organisation, shown to its managers, newest first.
package struct OrganisationActionsView: PageView {
    package static let template = "organisation-actions"
    let name, href: String
    let next: String?
    let actions: [ActionView]

    struct ActionView: TemplateView {
        let at, when, who, what: String
        let detail, listing: String?
    }
}

extension PageBuilder {
    package func organisationActions(
        _ actions: [OrganisationAction],
        of organisation: Organisation,
        next: String?
    ) -> OrganisationActionsView {
        OrganisationActionsView(
            name: organisation.content.name,
            href: path("/account/organisations/\(organisation.id.uuidString.lowercased())"),
            next: next.map(path),
            actions: actions.map { action in
                OrganisationActionsView.ActionView(
                    at: action.at.text, when: localizer.moment(action.at),
                    who: action.keyName.map { localizer("org.byKey", ["key": $0]) } ?? action.actorName ?? action.actor?
                        .uuidString.lowercased() ?? localizer("org.formerMember"),
                    what: localizer("action.\(action.kind.rawValue)"), detail: detail(action),
                    listing: action.kind.isOfListing ? action.subject.map { listingPath($0) } : nil
                )
            }
        )
    }

    private func detail(_ action: OrganisationAction) -> String? {
        switch action.kind {
        case .invite, .join, .setRole: action.detail.map { localizer("org.role.\($0)") }
        case .importListings:
            action.detail.flatMap(OrganisationAction.ImportCounts.init).map { counts in
                let (created, updated) = (localizer.number(counts.created), localizer.number(counts.updated))
                return localizer(
                    "org.imported",
                    [
                        "file": counts.file, "created": created, "updated": updated,
                        "closed": localizer.number(counts.closed),
                    ]
                )
            } ?? action.detail
        default: action.detail
        }
    }
}

extension OrganisationAction.Kind {
    /// Whether the subject is a listing that still exists.
    fileprivate var isOfListing: Bool {
        switch self {
        case .postListing, .editListing, .setStatus, .renewListing, .editRecord, .answerYes, .answerNo, .answerUnsure,
            .withdrawAnswer, .home, .notHome:
            true
        default: false
        }
    }
}

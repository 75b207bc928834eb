package import Domain
import Localization
package import Matching
import Mustache

/// The likeliest owners of all open animals of an organisation, for its members to go through.
package struct OrganisationMatchesView: PageView {
    package static let template = "organisation-matches"
    let name, href, table, lead: String
    let next: String?
    let removed: RemovedView?
    let pairs: [PairView]

    /// The pair that was just answered with no.
    struct RemovedView: TemplateView {
        let text, action: String
        let back: BackView
    }

    /// The fields that lead an answer back to the list.
    struct BackView: TemplateView {
        let organisation: String
        let cursor: String?
    }

    struct PairView: TemplateView {
        let cards: [CardView]
        let reasons: ReasonsView
        let back: BackView
        let action, write: String
        let phone: LinkView?
        let othersAnswer: String?
        /// Whether one of the owners has said yes.
        let isOpen, isWaiting, isAgreed: Bool
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - removed: the pair that was just answered with no.
    ///   - cursor: the position at which the page begins.
    package func organisationMatches(
        _ matches: [OrganisationMatch<Listing>],
        of organisation: Organisation,
        removed: (animal: Listing, lost: Listing)? = nil,
        cursor: String? = nil,
        next: String? = nil
    ) -> OrganisationMatchesView {
        let id = organisation.id.uuidString.lowercased()
        let back = OrganisationMatchesView.BackView(organisation: id, cursor: cursor)
        return OrganisationMatchesView(
            name: organisation.content.name, href: path("/account/organisations/\(id)"),
            table: path("/my/table?organisation=\(id)"),
            lead: localizer("owners.lead", ["name": organisation.content.name]), next: next.map(path),
            removed: removed.map { animal, lost in
                OrganisationMatchesView.RemovedView(
                    text: localizer(
                        "owners.removed",
                        ["animal": localizer.name(animal.content), "lost": localizer.name(lost.content)]
                    ),
                    action: matchPath(animal, lost), back: back
                )
            },
            pairs: matches.map { pair($0, back) }
        )
    }

    private func pair(
        _ pair: OrganisationMatch<Listing>,
        _ back: OrganisationMatchesView.BackView
    ) -> OrganisationMatchesView.PairView {
        let (lost, state) = (pair.match.value, pair.match.answers.state)
        return OrganisationMatchesView.PairView(
            cards: [card(.init(pair.animal)), card(.init(lost))], reasons: reasons(pair.match), back: back,
            action: matchPath(pair.animal, lost), write: listingPath(lost.id, "/write"),
            phone: lost.telephone.map { telephone in
                LinkView(name: localizer("listing.call", ["phone": telephone.text]), href: telephone.link)
            },
            othersAnswer: pair.match.answers.other == .yes ? localizer("match.other.yes") : nil,
            isOpen: [.undecided, .asked].contains(state), isWaiting: state == .waiting, isAgreed: state == .agreed
        )
    }

    private func matchPath(_ listing: Listing, _ other: Listing) -> String {
        listingPath(listing.id, "/matches/\(other.id.uuidString.lowercased())")
    }
}

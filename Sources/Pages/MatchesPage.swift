package import Domain
import Localization
package import Matching
package import Mustache

/// The listings that may be of the same animal as one listing, with the reasons and, for its owner, the answers.
package struct MatchesPage: Page {
    package let template = "matches"
    package let section = PageSection.none
    let listing: Listing
    let isOwner: Bool
    let matches: [PossibleMatch<Listing>]
    /// The number of listings that were compared.
    let considered: Int
    let noneProbability: Double
    /// The path and query of the next page.
    let next: String?

    package init(
        _ listing: Listing,
        isOwner: Bool,
        _ matches: [PossibleMatch<Listing>],
        considered: Int,
        noneProbability: Double,
        next: String?
    ) {
        (self.listing, self.isOwner, self.matches) = (listing, isOwner, matches)
        (self.considered, self.noneProbability, self.next) = (considered, noneProbability, next)
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let status = listing.content.status ?? .lost
        return [
            "title": localizer("match.title"), "listing": localizer.name(listing.content),
            "href": compose.path("/listings/\(listing.id.uuidString.lowercased())"),
            "lead": status.isOpen ? localizer("match.lead.\(status.rawValue)") : "",
            "matches": MatchSection(listing, matches, isOwner: isOwner).content(compose),
            "considered": localizer("match.considered", ["count": localizer.number(considered)]),
            "noneLikely": noneProbability >= 0.5
                ? localizer("match.noneLikely", ["probability": localizer.percentage(noneProbability)]) : "",
            "next": next.map(compose.path) ?? "",
        ]
    }
}

/// Matches as parts of a page.
struct MatchSection {
    let listing: Listing
    let matches: [PossibleMatch<Listing>]
    let isOwner: Bool

    init(_ listing: Listing, _ matches: [PossibleMatch<Listing>], isOwner: Bool) {
        (self.listing, self.matches, self.isOwner) = (listing, matches, isOwner)
    }

    func content(_ compose: PageBuilder) -> [[String: any TemplateValue]] {
        let own = ListingCard(listing).content(compose)
        return matches.map { match in
            let localizer = compose.localizer
            let reasons = { (direction: EvidenceDirection) in
                match.evidence.filter { $0.direction == direction }
                    .map { localizer.reason($0, distance: match.distance, days: match.days) }
            }
            let path =
                "/listings/\(listing.id.uuidString.lowercased())/matches/\(match.value.id.uuidString.lowercased())"
            return [
                "cards": [own, ListingCard(match.value).content(compose)],
                "likely": localizer("match.likely", ["probability": localizer.percentage(match.probability)]),
                "for": reasons(.for), "against": reasons(.against),
                "hasFor": !reasons(.for).isEmpty, "hasAgainst": !reasons(.against).isEmpty,
                "isOwner": isOwner, "action": compose.path(path),
                "write": compose.path("/listings/\(match.value.id.uuidString.lowercased())/write"),
                "answered": isOwner ? answered(match.answers, localizer) : "",
                "isAnswered": match.answers.own != nil,
                "othersAnswer": isOwner && match.answers.other == .yes ? localizer("match.other.yes") : "",
            ]
        }
    }

    private func answered(_ answers: MatchAnswers, _ localizer: Localizer) -> String {
        answers.own.map { localizer("match.answered.\($0.rawValue)") } ?? ""
    }
}

package import Domain
import Localization
package import Matching
import Mustache

/// The listings that may be of the same animal as one listing, with the reasons and, for its owner, the answers.
package struct MatchesView: PageView {
    package static let template = "matches"
    let listing, href, considered: String
    let lead, noneLikely, next: String?
    let matches: [MatchView]
}

struct MatchView: TemplateView {
    let cards: [CardView]
    let likely, action, write: String
    let answered, othersAnswer: String?
    let `for`, against: [String]
    let isOwner, isAnswered: Bool
}

extension PageBuilder {
    /// - Parameter considered: the number of listings that were compared.
    package func matches(
        of listing: Listing,
        isOwner: Bool,
        _ matches: [PossibleMatch<Listing>],
        considered: Int,
        noneProbability: Double,
        next: String?
    ) -> MatchesView {
        let status = listing.content.status ?? .lost
        let none = localizer.percentage(noneProbability)
        return MatchesView(
            listing: localizer.name(listing.content), href: listingPath(listing.id),
            considered: localizer("match.considered", ["count": localizer.number(considered)]),
            lead: status.isOpen ? localizer("match.lead.\(status.rawValue)") : nil,
            noneLikely: noneProbability >= 0.5 ? localizer("match.noneLikely", ["probability": none]) : nil,
            next: next.map(path),
            matches: matches.map { match($0, of: listing, isOwner: isOwner) }
        )
    }

    func match(_ match: PossibleMatch<Listing>, of listing: Listing, isOwner: Bool) -> MatchView {
        let reasons = { (direction: EvidenceDirection) in
            match.evidence.filter { $0.direction == direction }
                .map { localizer.reason($0, distance: match.distance, days: match.days) }
        }
        return MatchView(
            cards: [card((listing, nil)), card((match.value, nil))],
            likely: localizer("match.likely", ["probability": localizer.percentage(match.probability)]),
            action: listingPath(listing.id, "/matches/\(match.value.id.uuidString.lowercased())"),
            write: listingPath(match.value.id, "/write"),
            answered: isOwner ? match.answers.own.map { localizer("match.answered.\($0.rawValue)") } : nil,
            othersAnswer: isOwner && match.answers.other == .yes ? localizer("match.other.yes") : nil,
            for: reasons(.for), against: reasons(.against), isOwner: isOwner, isAnswered: match.answers.own != nil
        )
    }
}

package import Domain
import Localization
package import Matching
import Mustache

/// The listings that may be of the same animal as one listing, with the reasons and, for its owner, the answers.
package struct MatchesView: PageView {
    package static let template = "matches"
    let listing, href: String
    let lead, compared, ended, next: String?
    let matches: [MatchView]
    let sides: [SideView]

    /// A link to the matches of one side.
    struct SideView: TemplateView {
        let name, href: String
        let isShown: Bool
    }
}

struct MatchView: TemplateView {
    let cards: [CardView]
    let reasons: ReasonsView
    let action, write: String
    let answered, othersAnswer: String?
    /// For a moderator who is not the owner: the action that joins both listings, and the other one.
    let join: String?
    let other: String
    let isOwner, isAnswered, isLikely: Bool
}

extension PageBuilder {
    /// - Parameter considered: the number of listings that were compared.
    package func matches(
        of listing: Listing,
        _ side: MatchSide = .other,
        isOwner: Bool,
        isModerator: Bool = false,
        _ matches: [PossibleMatch<Listing>],
        considered: Int,
        noneProbability: Double,
        next: String?
    ) -> MatchesView {
        let status = listing.content.status ?? .lost
        return MatchesView(
            listing: localizer.name(listing.content), href: listingPath(listing.id),
            lead: status.isOpen ? localizer(side == .same ? "match.sameLead" : "match.lead.\(status.rawValue)") : nil,
            compared: status.isOpen ? compared(considered, noneProbability) : nil,
            ended: status.isOpen ? nil : localizer("match.ended"),
            next: next.map(path),
            matches: matches.map { match($0, of: listing, isOwner: isOwner, isModerator: isModerator) },
            sides: status.isOpen
                ? MatchSide.allCases.map {
                    MatchesView.SideView(
                        name: localizer("match.side.\($0 == .same ? "same" : status == .lost ? "found" : "lost")"),
                        href: listingPath(listing.id, "/matches?side=\($0.rawValue)"), isShown: $0 == side)
                } : []
        )
    }

    private func compared(_ count: Int, _ noneProbability: Double) -> String {
        let none = localizer.percentage(noneProbability)
        let key = noneProbability >= 0.5 && count > 0 ? "match.consideredNone" : "match.considered"
        return localizer(key, count: count, ["probability": none])
    }

    func match(
        _ match: PossibleMatch<Listing>,
        of listing: Listing,
        isOwner: Bool,
        isModerator: Bool = false
    ) -> MatchView {
        MatchView(
            cards: [card(.init(listing)), card(.init(match.value))],
            reasons: reasons(match),
            action: listingPath(listing.id, "/matches/\(match.value.id.uuidString.lowercased())"),
            write: listingPath(match.value.id, "/write"),
            answered: isOwner ? match.answers.own.map { localizer("match.answered.\($0.rawValue)") } : nil,
            othersAnswer: isOwner && match.answers.other == .yes ? localizer("match.other.yes") : nil,
            join: isModerator && !isOwner && match.side == .same ? listingPath(listing.id, "/animal") : nil,
            other: match.value.id.uuidString.lowercased(), isOwner: isOwner, isAnswered: match.answers.own != nil,
            isLikely: match.probability >= Self.possible
        )
    }

    func reasons<Value>(_ match: PossibleMatch<Value>) -> ReasonsView {
        let texts = { (direction: EvidenceDirection) in
            match.evidence.filter { $0.direction == direction }
                .map { localizer.reason($0, distance: match.distance, days: match.days, match.side) }
        }
        return ReasonsView(likely: likelihood(match.probability), for: texts(.for), against: texts(.against))
    }

    /// Matches from this probability on come first on the page of a listing.
    package static let possible = 0.1
    private static let (likely, veryLikely) = (0.6, 0.9)

    private func likelihood(_ probability: Double) -> String {
        let level =
            switch probability {
            case Self.veryLikely...: "veryLikely"
            case Self.likely...: "likely"
            case Self.possible...: "possible"
            default: "unlikely"
            }
        return localizer("match.\(level)", ["probability": localizer.percentage(probability)])
    }
}

package import Domain
import Localization
package import Matching
import Mustache

/// The page of two owners about one possible match, from the question until the animal is home.
package struct MeetingView: PageView {
    package static let template = "meeting"
    let heading, lead, listing, href, action: String
    /// The reader's listing and the other one.
    let cards: [CardView]
    let isAsked, isAnswered, canUndo: Bool
    let reasons: ReasonsView?
    let agreement: AgreementView?

    /// The facts that the two owners need to meet.
    struct AgreementView: TemplateView {
        let steps: [String]
        let phone: LinkView?
        /// The page of the conversation that they have had.
        let conversation: String?
        let write, home: String
        let form: MessageFormView
        let warnings: [String]
    }
}

/// How likely a match is, and why.
struct ReasonsView: TemplateView {
    let likely: String
    let `for`, against: [String]
}

/// A listing of which an owner has said that it is of the same animal, on the page of one's own listing.
struct PartnerView: TemplateView {
    let heading, lead, href, button: String
    let isUrgent: Bool
    let cards: [CardView]
}

extension PageBuilder {
    /// - Parameters:
    ///   - match: the reasons for and against; nil if they are not known or not needed any more.
    ///   - phone: a telephone number that the reader may propose to give.
    ///   - conversation: the `Conversation.id` of the newest conversation of the two owners.
    ///   - canUndo: whether the reunion can still be undone.
    package func meeting(
        _ listing: Listing,
        _ other: Listing,
        _ answers: MatchAnswers,
        _ match: PossibleMatch<Int64>? = nil,
        phone: String? = nil,
        conversation: String? = nil,
        canUndo: Bool = false
    ) -> MeetingView {
        MeetingView(
            heading: meetingHeading(answers.state, listing, other),
            lead: localizer("meeting.\(answers.state.rawValue).lead"),
            listing: localizer.name(listing.content), href: listingPath(listing.id),
            action: listingPath(listing.id, "/matches/\(other.id.uuidString.lowercased())"),
            cards: [card(.init(listing)), card(.init(other))],
            isAsked: [.undecided, .asked, .rejected].contains(answers.state), isAnswered: answers.own != nil,
            canUndo: canUndo, reasons: match.map(reasons),
            agreement: answers.state == .agreed
                ? agreement(listing, other, phone: phone, conversation: conversation) : nil
        )
    }

    private func agreement(
        _ listing: Listing,
        _ other: Listing,
        phone: String?,
        conversation: String?
    ) -> MeetingView.AgreementView {
        let typed = ["text": localizer("meeting.message"), "contact_phone": phone].compactMapValues(\.self)
        let page = conversation.map { path("/inbox/\($0)") }
        return MeetingView.AgreementView(
            steps: ["talk", "proof", "place", "home"].map { localizer("meeting.step.\($0)") },
            phone: other.telephone.map { telephone in
                LinkView(name: localizer("listing.call", ["phone": telephone.text]), href: telephone.link)
            },
            conversation: page, write: page ?? listingPath(other.id, "/write"),
            home: listingPath(listing.id, "/matches/\(other.id.uuidString.lowercased())/home"),
            form: messageForm(
                MessageForm(typed),
                asksForMark: conversation == nil && other.content[.secretMark] != nil,
                isFirst: conversation == nil
            ),
            warnings: warnings
        )
    }

    private func meetingHeading(_ state: MatchState, _ listing: Listing, _ other: Listing) -> String {
        guard let name = listing.content.name ?? other.content.name else {
            return localizer("meeting.\(state.rawValue).unnamed")
        }
        return localizer("meeting.\(state.rawValue)", ["name": name])
    }

    func partner(_ other: Listing, of listing: Listing, _ answers: MatchAnswers) -> PartnerView {
        PartnerView(
            heading: meetingHeading(answers.state, listing, other),
            lead: localizer("meeting.\(answers.state.rawValue).lead"),
            href: listingPath(listing.id, "/matches/\(other.id.uuidString.lowercased())"),
            button: localizer("meeting.\(answers.state.rawValue).open"),
            isUrgent: [.asked, .agreed].contains(answers.state), cards: [card(.init(listing)), card(.init(other))]
        )
    }
}

import Domain
import HTTP
import Hummingbird
import Matching
import Pages
import Storage

/// The pages of possible matches, where owners answer, arrange the handover, and say that the animal is home.
struct MatchPages {
    let site: Site
    let service: MatchService

    private static let pageSize = 10
    /// Matches below this probability are not worth a look.
    static let minProbability = 0.01
    /// Matches from this probability on are worth a notice.
    static let likely = 0.05
    /// From this probability on, owners are asked whether another listing of the same side is of the same animal.
    static let sameAnimal = 0.5

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id/matches", use: show)
        router.get("/listings/:id/matches/:other", use: meeting)
        router.post("/listings/:id/matches/:other", use: answer)
        router.post("/listings/:id/matches/:other/home", use: setHome)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let listing = try site.stores.listings.get(context.parameters, seenBy: viewer, Listing.init)
        let isOwner = viewer?.acts(for: listing.owner) == true
        let query = request.queryReader()
        let side = try query.choice("side", MatchSide.self) ?? .other
        let found = try service.matches.find(
            for: listing,
            side,
            asOwner: isOwner,
            minProbability: Self.minProbability,
            limit: Self.pageSize,
            after: try query.matchCursor()
        ) { row in try Listing(row) }
        let next = found.next.map {
            "/listings/\(listing.id.lowercased)/matches?side=\(side.rawValue)&cursor=\($0.token)"
        }
        return site.page.show(request, viewer, isPrivate: true) {
            $0.matches(
                of: listing,
                side,
                isOwner: isOwner,
                isModerator: viewer?.role == .admin,
                found.matches,
                considered: found.considered,
                noneProbability: found.noneProbability,
                next: next
            )
        }
    }

    @Sendable private func meeting(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let (listing, owner, other) = try pair(context, account)
        let answers = try service.matches.findAnswers(of: listing, other: other)
        if answers.isSameSide, answers.state == .agreed { return site.page.redirect(animal(of: listing)) }
        let conversation = try site.stores.conversations.findConversation(ofOwnersOf: listing, other)
        let match = try match(listing, other, answers)
        return site.page.show(request, account, isPrivate: true) {
            $0.meeting(
                listing,
                other,
                answers,
                match,
                phone: listing.content.contactPhone.value ?? owner.profile.phone,
                conversation: conversation?.lowercased,
                canUndo: answers.isUndoable(at: .now)
            )
        }
    }

    /// Returns what fits and what does not, as long as the owner of the listing has to decide; nil if the other listing is not
    /// among the likeliest matches.
    private func match(
        _ listing: Listing,
        _ other: Listing,
        _ answers: MatchAnswers
    ) throws -> PossibleMatch<Int64>? {
        guard [.undecided, .asked].contains(answers.state) else { return nil }
        let isSameSide = (listing.content.status == .lost) == (other.content.status == .lost)
        return try service.matches.find(
            for: listing, isSameSide ? .same : .other, asOwner: true, limit: Self.maxCompared, \.key
        ).matches
            .first { $0.key == other.key }
    }

    /// The likeliest matches among which the page of one looks for the reasons.
    private static let maxCompared = 50

    @Sendable private func answer(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let (listing, _, other) = try pair(context, account)
        let form = try await site.page.forms.read(request)
        let text = form["answer"] ?? ""
        let answer = text.isEmpty ? nil : try Field("answer", .string(text)).choice(MatchAnswer.self)
        let answers = try await service.answer(answer, for: listing, other: other, by: account)
        guard answers.state != .agreed else {
            return site.page.redirect(answers.isSameSide ? animal(of: listing) : path(listing, other))
        }
        if let list = OrganisationMatchPages.path(back: form, answer, listing, other) {
            return site.page.redirect(list)
        }
        return site.page.redirect("/listings/\(listing.id.lowercased)", done: "match.saved")
    }

    @Sendable private func setHome(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let (listing, _, other) = try pair(context, account)
        let text = try await site.page.forms.read(request)["home"] ?? ""
        guard let isHome = ["yes": true, "no": false][text] else {
            throw ServiceError.invalid("home", "expected yes or no")
        }
        _ = try await service.setHome(isHome, listing, other: other, by: account)
        return site.page.redirect(isHome ? "/listings/\(listing.id.lowercased)/home" : path(listing, other))
    }

    /// Returns the reader's listing with its owner, and the other listing.
    private func pair(
        _ context: ServiceContext,
        _ account: Account
    ) throws -> (listing: Listing, owner: Account, other: Listing) {
        let (listing, owner) = try site.stores.listings.getOwn(context.parameters, account)
        return (listing, owner, try site.stores.listings.getOther(context.parameters, seenBy: owner))
    }

    private func animal(of listing: Listing) -> String { "/listings/\(listing.id.lowercased)/animal" }

    private func path(_ listing: Listing, _ other: Listing) -> String {
        "/listings/\(listing.id.lowercased)/matches/\(other.id.lowercased)"
    }
}

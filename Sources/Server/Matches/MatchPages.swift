import Domain
import HTTP
import Hummingbird
import Pages
import Storage

/// The pages of possible matches, and the answers of owners.
struct MatchPages {
    let renderer: PageRenderer
    let listings: ListingStore
    let matches: MatchStore

    private static let pageSize = 10
    /// Matches below this probability are not worth a look.
    static let minProbability = 0.01
    /// Matches from this probability on are worth a notice.
    static let likely = 0.05

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id/matches", use: show)
        router.post("/listings/:id/matches/:other", use: answer)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let listing = try listings.get(context.parameters, seenBy: viewer, Listing.init)
        let isOwner = viewer?.acts(for: listing.owner) == true
        let found = try matches.find(
            for: listing,
            asOwner: isOwner,
            minProbability: Self.minProbability,
            limit: Self.pageSize,
            after: try request.queryReader().matchCursor()
        ) { row in try Listing(row) }
        let next = found.next.map { "/listings/\(listing.id.lowercased)/matches?cursor=\($0.token)" }
        return renderer.show(request, viewer, isPrivate: true) {
            $0.matches(
                of: listing,
                isOwner: isOwner,
                found.matches,
                considered: found.considered,
                noneProbability: found.noneProbability,
                next: next
            )
        }
    }

    @Sendable private func answer(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let (listing, owner) = try listings.getOwn(context.parameters, account)
        let other = try listings.getOther(context.parameters, seenBy: owner)
        let text = try await renderer.forms.read(request)["answer"] ?? ""
        let answer = text.isEmpty ? nil : try Field("answer", .string(text)).choice(MatchAnswer.self)
        let answers = try await matches.answer(answer, for: listing, other: other)
        let path = "/listings/\(listing.id.lowercased)"
        if answers.linkedAt != nil { return renderer.redirect(path, done: "match.linked") }
        return renderer.redirect(path + "/matches", done: "match.saved")
    }
}

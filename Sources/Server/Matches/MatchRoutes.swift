import Domain
import Formats
import Foundation
import HTTP
import Hummingbird
import Localization
import Matching
import Storage

/// The API for possible matches: everybody can read them, owners answer them and say that the animal is home.
struct MatchRoutes {
    let site: Site
    let service: MatchService

    private var matches: MatchStore { service.matches }

    private static let varies = "Authorization, Cookie, Accept-Language"

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings/:id/matches", use: list)
        router.group(context: SignedInContext.self)
            .get("/v1/listings/:id/matches/:other", use: show)
            .put("/v1/listings/:id/matches/:other", use: answer)
            .delete("/v1/listings/:id/matches/:other", use: withdraw)
            .put("/v1/listings/:id/matches/:other/home", use: setHome)
            .delete("/v1/listings/:id/matches/:other/home", use: undoHome)
    }

    @Sendable private func list(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let query = request.queryReader()
        let limit = try query.limit(.matches)
        let minProbability = try query.share("minimum_probability") ?? 0
        let cursor = try query.matchCursor()
        let side = try query.choice("side", MatchSide.self) ?? .other
        let listing = try site.stores.listings.get(context.parameters, seenBy: viewer, Listing.init)
        let isOwner = viewer?.acts(for: listing.owner) == true
        let localizer = site.localization.localizer(try request.language())
        var features: [String] = []
        let found = try matches.find(
            for: listing,
            side,
            asOwner: isOwner,
            minProbability: minProbability,
            limit: limit,
            after: cursor
        ) { row in
            var json = JSONWriter()
            try json.feature(row, base: site.baseURL.text, full: row.isFullyVisible(to: viewer))
            features.append(json.text)
            return row.isFullyVisible(to: viewer)
        }
        let links = site.baseURL.links(request, next: found.next?.token, type: nil)
        var json = JSONWriter(capacity: 2048 * (features.count + 1))
        json.object { json in
            json.field("considered", found.considered)
            json.field("none_probability", found.noneProbability, decimals: 4)
            json.array("matches", zip(found.matches, features)) { json, entry in
                json.object { json in json.members(of: entry.0, entry.1, localizer, isOwner: isOwner) }
            }
            json.field("numberReturned", found.matches.count)
            json.links(links)
        }
        var response = Response(json)
        response.headers[.link] = links.header
        response.vary(by: Self.varies)
        response.headers[.contentLanguage] = localizer.language.rawValue
        if isOwner || found.matches.contains(where: \.value) { response.headers[.cacheControl] = CacheControl.noStore }
        return response
    }

    @Sendable private func answer(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["answer"])
        guard let value = fields["answer"], let answer = try Field("answer", value).choice(MatchAnswer.self) else {
            throw ServiceError.invalid("answer", "expected one of yes, no, unsure")
        }
        return try await change(context) { try await service.answer(answer, for: $0, other: $1, by: context.account) }
    }

    @Sendable private func withdraw(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await change(context) { try await service.answer(nil, for: $0, other: $1, by: context.account) }
    }

    @Sendable private func show(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await change(context) { try matches.findAnswers(of: $0, other: $1) }
    }

    @Sendable private func setHome(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await change(context) { try await service.setHome(true, $0, other: $1, by: context.account) }
    }

    @Sendable private func undoHome(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await change(context) { try await service.setHome(false, $0, other: $1, by: context.account) }
    }

    /// - Parameter body: gets the caller's listing and the other one.
    private func change(
        _ context: SignedInContext,
        _ body: (Listing, Listing) async throws -> MatchAnswers
    ) async throws -> Response {
        let (listing, owner) = try site.stores.listings.getOwn(context)
        let answers = try await body(listing, try site.stores.listings.getOther(context.parameters, seenBy: owner))
        return .uncachedObject { $0.members(of: answers) }
    }
}

extension ListingStore {
    /// Returns the listing with the id in the path parameter `other`.
    func getOther(_ parameters: Parameters, seenBy viewer: Account?) throws -> Listing {
        guard let id = parameters.get("other").flatMap(UUID.init(uuidString:)),
            let other = try findListing(id: id, Listing.init),
            !other.hidden || other.isFullyVisible(to: viewer)
        else { throw ServiceError(.notFound, "no such listing", field: "other") }
        return other
    }
}

extension JSONWriter {
    /// - Parameters:
    ///   - distance: in metres.
    ///   - days: from the loss to the find, if they are compared.
    mutating func evidence(
        _ evidence: [Evidence],
        distance: Double,
        days: Int = 0,
        side: MatchSide = .other,
        _ localizer: Localizer
    ) {
        array("evidence", evidence) { json, evidence in
            json.object { json in
                json.field("kind", evidence.kind.rawValue)
                json.field("level", evidence.level)
                json.field("bits", evidence.bits, decimals: 2)
                json.field("speaks", evidence.direction.rawValue)
                json.field("text", localizer.reason(evidence, distance: distance, days: days, side))
            }
        }
    }

    /// - Parameter feature: the other listing.
    mutating func members<Value>(
        of match: PossibleMatch<Value>,
        _ feature: String,
        _ localizer: Localizer,
        isOwner: Bool
    ) {
        prepared("listing", feature)
        field("probability", match.probability, decimals: 4)
        field("score_bits", match.bits, decimals: 2)
        field("distance_m", Int(match.distance))
        field("days", match.days)
        evidence(match.evidence, distance: match.distance, days: match.days, side: match.side, localizer)
        if isOwner { members(of: match.answers) }
    }

    fileprivate mutating func members(of answers: MatchAnswers) {
        field("state", answers.state.rawValue)
        field("answer", answers.own?.rawValue)
        field("other_answer", answers.other?.rawValue)
        field("linked_at", answers.linkedAt?.text)
    }
}

extension QueryReader {
    /// Reads a share between 0 and 1.
    fileprivate func share(_ name: String) throws(ServiceError) -> Double? {
        guard let text = try text(name) else { return nil }
        guard let share = text.decimalNumber, (0...1).contains(share) else {
            throw .invalid(name, "expected a number between 0 and 1")
        }
        return share
    }

    func matchCursor() throws(ServiceError) -> MatchCursor? {
        try cursor(fields: 2) { fields in
            guard let bits = Double(fields[0]), bits.isFinite, let key = Int64(fields[1]), key > 0 else { return nil }
            return MatchCursor(bits: bits, key: key)
        }
    }
}

extension MatchCursor {
    var token: String { PageCursor([String(bits), String(key)]).token }
}

import Domain
import HTTP
import Hummingbird
import Pages
import SearchText
import Storage

/// The page of one's own listings.
extension ListingPages {
    @Sendable func own(_ request: Request, _ context: ServiceContext) async throws -> Response {
        if let ban = context.ban { return site.page.show(.ban(ban), request) }
        let entered = request.parameters
        let filters = BoardFilters(entered.filter { MyListingsView.filterNames.contains($0.key) })
        guard let account = context.caller?.account else {
            return site.page.show(request, nil, isPrivate: true) {
                $0.myListings(filters: BoardFilters([:]), [], next: nil)
            }
        }
        do {
            let (cards, reading, next) = try ownCards(of: account, filters, cursor: entered["cursor"], request)
            return site.page.show(request, account, isPrivate: true) {
                $0.myListings(
                    filters: filters, reading: reading, cards, next: next.map { "/my" + filters.query(cursor: $0) })
            }
        } catch let error as ServiceError where error.code == .invalid {
            return site.page.show(request, account, status: .badRequest, isPrivate: true) {
                $0.myListings(filters: filters, [], next: nil, problem: error)
            }
        }
    }

    private func ownCards(
        of account: Account,
        _ filters: BoardFilters,
        cursor: String?,
        _ request: Request
    ) throws -> (cards: [(listing: Listing, matchCount: Int)], reading: SearchReading?, next: String?) {
        var values = filters.values
        values["cursor"] = cursor
        let language = site.page.pageLanguage(request)
        var query = try site.queries.read(.init(values), language: language, codes: .all)
        query.restrict(to: account, statuses: filters["status"] == nil ? nil : query.statuses)
        var cards: [(listing: Listing, matchCount: Int)] = []
        var own: [Listing] = []
        let next = try site.stores.search.find(query) { row, _ in own.append(try Listing(row)) }
        for (number, listing) in own.enumerated() {
            let count = number < Self.maxCounted ? countMatches(of: listing) : 0
            cards.append((listing, count))
        }
        return (cards, query.reading, next?.token)
    }

    /// The number of listings on a page whose matches are counted.
    private static let maxCounted = 10

    /// Returns the number of likely matches that the owner has not answered, at most 10. An error, such as an exhausted
    /// budget, is ignored, because the page is useful without the number.
    private func countMatches(of listing: Listing) -> Int {
        let found = try? site.stores.matches.find(
            for: listing, asOwner: true, minProbability: MatchPages.likely, limit: 10
        ) { _ in
        }
        return found?.matches.count { $0.answers.own == nil } ?? 0
    }
}

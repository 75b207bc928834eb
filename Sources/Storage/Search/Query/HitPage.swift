/// The hits of a page, plus one more if there are more.
struct HitPage {
    var hits: [ListingHit] = []
    /// The last listing that was examined, if the search ended before the page was full because its time was used up. The page is
    /// shorter then, and the next one starts there.
    var stop: ListingQuery.Cursor?
}

extension HitPage {
    /// Returns the page of a search in parts: the listings of one part after those of another.
    ///
    /// - Parameter find: returns the page of a part.
    init(_ parts: [ListingQuery], of query: ListingQuery, _ find: (ListingQuery) throws -> HitPage) rethrows {
        let start = query.cursor?.rank ?? 0
        for (rank, part) in parts.enumerated().dropFirst(start) where hits.count <= query.limit && stop == nil {
            var part = part
            // `find` returns one more than this limit.
            part.limit = query.limit - hits.count
            if rank > start { part.cursor = nil }
            let found = try find(part)
            for var hit in found.hits {
                hit.rank = rank
                hits.append(hit)
            }
            stop = found.stop.map { .init(order: $0.order, value: $0.value, key: $0.key, rank: rank) }
        }
    }

    /// Returns the cursor of the next page; nil if there is none.
    func next(_ query: ListingQuery) -> ListingQuery.Cursor? {
        guard hits.count > query.limit else { return stop }
        let last = hits[query.limit - 1]
        return ListingQuery.Cursor(
            order: query.order,
            value: query.order == .distance ? String(last.photo?.bits ?? last.distance) : "",
            key: last.key,
            rank: last.rank
        )
    }
}

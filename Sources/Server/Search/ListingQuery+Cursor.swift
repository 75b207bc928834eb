import HTTP
import Storage

extension ListingQuery.Cursor {
    /// The cursor as clients see it: order, value, key and rank.
    var token: String { PageCursor([order.rawValue, value, String(key), String(rank)]).token }

    /// Returns nil if the cursor belongs to another order.
    ///
    /// - Parameters:
    ///   - fields: order, value, key and rank.
    ///   - ranks: the number of groups of the query's `photo`.
    init?(_ fields: [String], order: ListingQuery.Order, ranks: Int) {
        guard fields[0] == order.rawValue, let key = Int64(fields[2]), let rank = Int(fields[3]),
            rank == 0 || (1..<max(ranks, 1)).contains(rank),
            order == .distance ? Double(fields[1]) != nil : fields[1].isEmpty
        else { return nil }
        self.init(order: order, value: fields[1], key: key, rank: rank)
    }
}

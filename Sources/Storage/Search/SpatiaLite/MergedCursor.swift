import SQL

/// Reads several lists, each sorted by its first column, as one sorted list.
struct MergedCursor {
    /// A reference type, because a `PreparedStatement` cannot be copied into an array.
    private final class List {
        let scan: PreparedStatement

        init(_ scan: consuming PreparedStatement) { self.scan = scan }
    }

    private let descending: Bool
    private var lists: [List] = []
    private var heads: [Int64] = []
    private var first = 0

    init(descending: Bool) {
        self.descending = descending
    }

    /// Adds a list, unless it has no rows.
    mutating func add(_ scan: consuming PreparedStatement) throws {
        let list = List(scan)
        guard try list.scan.next() else { return }
        lists.append(list)
        heads.append(list.scan.integer(0))
        choose()
    }

    /// The first column of the next row; nil after the last row.
    var head: Int64? { heads.isEmpty ? nil : heads[first] }

    var row: StatementRow { lists[first].scan.row }

    mutating func advance() throws {
        if try lists[first].scan.next() {
            heads[first] = lists[first].scan.integer(0)
        } else {
            heads.remove(at: first)
            lists.remove(at: first)
        }
        choose()
    }

    private mutating func choose() {
        first = 0
        for index in heads.indices where descending ? heads[index] > heads[first] : heads[index] < heads[first] {
            first = index
        }
    }
}

import Formats
import NIOCore
import Storage

/// What became of a listing, as it goes out (HTML Living Standard, 9.2): written once for all who are told of it.
struct ServerSentEvent {
    private let change: EventStore.Change
    private let row: ListingRow?
    private let base: String
    /// For all watchers that look for some.
    private let words: ListingWords?
    private var shown: ByteBuffer?
    private var removed: ByteBuffer?

    init(_ change: EventStore.Change, _ row: ListingRow?, base: String) {
        self.change = change
        self.row = row
        self.base = base
        words = row.map(ListingWords.init)
    }

    /// The listing as everybody sees it where it is what they ask for, else that it is not there (any more). Nil for what
    /// they never heard of: it was posted, and nothing else has happened to it.
    mutating func text(for check: ListingMatcher) throws -> ByteBuffer? {
        if let row, try check.distance(of: row, words) != nil {
            let text = try shown ?? write(change.isPosted ? "created" : "updated", row)
            shown = text
            return text
        }
        guard change.isChanged else { return nil }
        let text = try removed ?? write("removed", nil)
        removed = text
        return text
    }

    private func write(_ what: String, _ row: ListingRow?) throws -> ByteBuffer {
        var json = JSONWriter()
        try json.object { json in
            json.field("id", change.listing)
            if let row { try json.embed("feature") { try $0.feature(row, base: base, full: false) } }
        }
        return ByteBuffer(string: "id: \(change.event)\nevent: listing.\(what)\ndata: \(json.text)\n\n")
    }
}

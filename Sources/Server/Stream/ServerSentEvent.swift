import Formats
import NIOCore
import Storage

/// A change of a listing as a server-sent event (HTML Living Standard, 9.2). The text is created once for all
/// subscribers.
struct ServerSentEvent {
    private let change: EventStore.Change
    private let row: ListingRow?
    private let base: String
    /// The words of the listing, computed once for all subscribers that search for words.
    private let words: ListingWords?
    private var shown: ByteBuffer?
    private var removed: ByteBuffer?

    init(_ change: EventStore.Change, _ row: ListingRow?, base: String) {
        self.change = change
        self.row = row
        self.base = base
        words = row.map(ListingWords.init)
    }

    /// Returns the public listing if it matches the search, otherwise its removal. Returns nil if the client has never
    /// received the listing, because the listing was just posted and does not match.
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

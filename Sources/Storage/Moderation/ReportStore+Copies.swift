import Domain
import SQL

extension ReportStore {
    /// The number of the newest messages among which copies of reported ones are counted. Swindlers write the same to many within
    /// days, so an index of all texts would find few more.
    package static let maxCompared = 2000

    /// Returns the cases with the number of other people who got the words of a reported message, whatever their case, accents
    /// and punctuation. The messages are read once for all cases.
    static func countingCopies(_ cases: [Case], _ db: SQLConnection) throws -> [Case] {
        let texts = cases.map { $0.subject == .message ? $0.message.map(compared) : nil }
        guard texts.contains(where: { $0 != nil }) else { return cases }
        let readers = try readers(of: Set(texts.compactMap(\.self)), db)
        return try zip(cases, texts).map { report, text in
            guard let text else { return report }
            var report = report
            // The readers of a message are the only ones who report it.
            let own: [Int64] = try db.values("SELECT account_id FROM report WHERE case_id = ?", [report.key])
            report.copies = readers[text, default: []].subtracting(own).count
            return report
        }
    }

    /// Returns the accounts that got each of the texts in one of the newest messages.
    private static func readers(of texts: Set<String>, _ db: SQLConnection) throws -> [String: Set<Int64>] {
        let found = try db.rows(
            """
            SELECT text, account_id
            FROM (SELECT * FROM message ORDER BY id DESC LIMIT ?) AS latest CROSS JOIN conversation_party AS reader
            WHERE reader.conversation_id = latest.conversation_id AND reader.is_owner <> is_owners AND is_delivered
            """,
            [maxCompared]
        ) { row -> (text: String, reader: Int64)? in
            let text = compared(try row[0])
            return texts.contains(text) ? (text, try row[1]) : nil
        }
        return found.reduce(into: [:]) { readers, found in
            if let found { readers[found.text, default: []].insert(found.reader) }
        }
    }

    /// The text itself if it has neither letters nor digits.
    private static func compared(_ text: String) -> String {
        let folded = text.folded
        return folded.isEmpty ? text : folded
    }
}

import Domain
import Foundation
import NIOCore
import OutgoingHTTP

/// The file of a feed, which some servers give in pages.
struct ImportFeedPages: Sendable {
    /// Why there is no file.
    struct Refusal: Error {
        let outcome: ImportFeed.Outcome
    }

    /// A board of 20 MiB has about 80 pages of 200 listings.
    static let maxCount = 100

    private(set) var pages: [[UInt8]] = []
    private var size = 0

    /// Adds a page. Returns the address of the next one, which must be at the same server.
    mutating func add(
        _ answer: OutgoingAnswer,
        from url: OutgoingURL,
        _ settings: OutgoingSettings
    ) throws(Refusal) -> OutgoingURL? {
        size += answer.body.count
        guard size <= ListingImport.maxFileSize else { throw Refusal(outcome: .tooLarge) }
        guard answer.status == 200, answer.isComplete, !answer.body.isEmpty else { throw Refusal(outcome: .refused) }
        pages.append(answer.body)
        // Pages of tables would repeat their header.
        guard let link = answer.header("Link").flatMap(Self.next), pages[0].first == UInt8(ascii: "{") else {
            return nil
        }
        guard pages.count < Self.maxCount else { throw Refusal(outcome: .tooLarge) }
        let address = link.hasPrefix("/") ? url.origin + link : link
        guard let next = try? OutgoingURL(address, settings: settings), next.origin == url.origin else {
            throw Refusal(outcome: .refused)
        }
        return next
    }

    /// Returns the target of the link to the next page in a `Link` header.
    static func next(_ header: String) -> String? {
        for match in header.matches(of: /<([^>]*)>((?:\s*;[^,<]*)?)/) {
            let parameters = match.2.lowercased().split(separator: ";").map { $0.filter { !" \t\"".contains($0) } }
            if parameters.contains("rel=next") { return String(match.1) }
        }
        return nil
    }
}

extension ImportFeedPages: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<[UInt8]>

        mutating func next() -> ByteBuffer? { rest.popFirst().map { ByteBuffer(bytes: $0) } }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: pages[...]) }
}

extension OutgoingURL {
    /// The address of the service, if a board of this program is at the address: what comes before the path of the board.
    var service: String {
        let path = path.prefix { $0 != "?" }
        let boards = ["/v1/listings", "/collections/listings/"].compactMap { path.firstRange(of: $0)?.lowerBound }
        return origin + path[..<(boards.min() ?? path.startIndex)]
    }
}

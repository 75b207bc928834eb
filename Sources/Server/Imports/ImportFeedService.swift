import Concurrency
import Domain
import Foundation
import Logging
import NIOCore
import OutgoingHTTP
import Storage

/// Fetches the files at the addresses that accounts named, and imports them.
struct ImportFeedService: Sendable {
    let feeds: ImportFeedStore
    let imports: ImportService
    let accounts: AccountStore
    var organisations: OrganisationStore { imports.organisations }
    private let outgoing: OutgoingSettings
    private let client: HTTPSClient

    /// The number of files that are fetched at once. Each may be in memory.
    private static let atOnce = 4

    /// - Parameter outgoing: what is permitted for requests to addresses of users.
    init(
        _ feeds: ImportFeedStore,
        _ imports: ImportService,
        accounts: AccountStore,
        outgoing: OutgoingSettings,
        resolver: any NameResolver
    ) {
        (self.feeds, self.imports, self.accounts) = (feeds, imports, accounts)
        self.outgoing = outgoing.forFiles(within: 60_000, size: ListingImport.maxFileSize, atOnce: Self.atOnce)
        client = HTTPSClient(self.outgoing, resolver: resolver)
    }

    /// Throws `invalid` if requests to the address are not permitted.
    func address(_ text: String) throws -> String { try OutgoingURL(text, settings: outgoing).text }

    /// Fetches the files that have been due for the longest time. Returns false if none is due.
    func advance(at now: Timestamp, _ logger: Logger) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<Self.atOnce {
                guard let feed = try await feeds.takeDue(at: now) else { break }
                group.addTask {
                    let isSettled = try await feeds.isSettled(feed, at: now)
                    let attempt = try await fetch(feed, unless: isSettled ? feed.validators : nil, logger)
                    try await feeds.note(
                        attempt.outcome,
                        of: feed,
                        import: attempt.importID,
                        validators: attempt.validators ?? feed.validators,
                        at: now
                    )
                    return true
                }
            }
            return try await group.reduce(false) { $0 || $1 }
        }
    }

    private struct Attempt {
        let outcome: ImportFeed.Outcome
        /// The `ListingImport.id`, and the validators of its file.
        var importID: UUID?
        var validators: ImportFeed.Validators?
    }

    /// - Parameter known: the validators of the file that need not be read again.
    private func fetch(
        _ feed: ImportFeed,
        unless known: ImportFeed.Validators?,
        _ logger: Logger
    ) async throws -> Attempt {
        guard let owner = try accounts.findAccount(key: feed.owner), !owner.disabled else {
            return Attempt(outcome: .failed)
        }
        do {
            let url = try OutgoingURL(feed.order.url, settings: outgoing)
            let conditions = known?.conditions ?? []
            let answer = try await client.send(OutgoingRequest(url, headers: conditions))
            if answer.status == 304, !conditions.isEmpty { return Attempt(outcome: .unchanged) }
            let pages = try await pages(answer, from: url)
            let file = try await imports.receive(pages, by: owner)
            var order = feed.order.listings
            order.service = url.service
            let created = try await imports.create(file, order, by: owner, sender: nil)
            // Those of the first page say nothing of the others.
            let validators =
                pages.pages.count == 1
                ? ImportFeed.Validators(answer) : ImportFeed.Validators(entityTag: nil, lastModified: nil)
            return Attempt(outcome: .imported, importID: created.id, validators: validators)
        } catch let refusal as ImportFeedPages.Refusal {
            return Attempt(outcome: refusal.outcome)
        } catch let failure as OutgoingFailure {
            return Attempt(outcome: ImportFeed.Outcome(failure))
        } catch let error as ServiceError where error.code == .quotaExceeded {
            return Attempt(outcome: .busy)
        } catch let error as ServiceError where error.code == .tooSlow {
            return Attempt(outcome: .timedOut)
        } catch let error as ServiceError {
            logger.error("a file was not imported", metadata: ["feed": "\(feed.id)", "reason": "\(error)"])
            return Attempt(outcome: .failed)
        }
    }
}

extension ImportFeedService {
    private static let timeForPages = Duration.seconds(300)

    /// Returns the file that an answer begins: with its other pages, if it is GeoJSON in pages (RFC 8288, `rel="next"`).
    private func pages(_ first: OutgoingAnswer, from url: OutgoingURL) async throws -> ImportFeedPages {
        var pages = ImportFeedPages()
        guard let next = try pages.add(first, from: url, outgoing) else { return pages }
        let late = ServiceError(.tooSlow, "the pages took too long to arrive")
        return try await withTimeout(Self.timeForPages, orElse: late) { [client, outgoing, begun = pages] in
            var (pages, next) = (begun, Optional(next))
            while let url = next {
                next = try pages.add(try await client.send(OutgoingRequest(url)), from: url, outgoing)
            }
            return pages
        }
    }
}

extension ImportFeed.Validators {
    fileprivate init(_ answer: OutgoingAnswer) {
        self.init(entityTag: answer.header("ETag"), lastModified: answer.header("Last-Modified"))
    }

    /// The headers of a request for a file unless it is this one.
    fileprivate var conditions: [(name: String, value: String)] {
        [("If-None-Match", entityTag), ("If-Modified-Since", lastModified)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }
}

extension ImportFeed.Outcome {
    /// Says no more than users may know: not whether the name leads to addresses that are not permitted.
    fileprivate init(_ failure: OutgoingFailure) {
        switch failure {
        case .tooSlow: self = .timedOut
        case .notTrusted: self = .untrusted
        case .notPermitted, .noPublicAddress, .notReachable, .noAnswer: self = .unreachable
        }
    }
}

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
        (self.feeds, self.imports, self.accounts, self.outgoing) = (feeds, imports, accounts, outgoing)
        var settings = outgoing
        settings.time = 60_000
        // One byte more tells that a file is too large.
        settings.maxBody = ListingImport.maxFileSize + 1
        settings.atOnce = Self.atOnce
        client = HTTPSClient(settings, resolver: resolver)
    }

    /// Throws `invalid` if requests to the address are not permitted.
    func address(_ text: String) throws -> String { try OutgoingURL(text, settings: outgoing).text }

    /// Fetches the files that have been due for the longest time. Returns false if none is due.
    func advance(at now: Timestamp, _ logger: Logger) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<Self.atOnce {
                guard let feed = try await feeds.takeDue(at: now) else { break }
                group.addTask {
                    let (outcome, id) = try await fetch(feed, logger)
                    try await feeds.note(outcome, of: feed, import: id, at: now)
                    return true
                }
            }
            return try await group.reduce(false) { $0 || $1 }
        }
    }

    private func fetch(_ feed: ImportFeed, _ logger: Logger) async throws -> (ImportFeed.Outcome, UUID?) {
        guard let owner = try accounts.findAccount(key: feed.owner), !owner.disabled else { return (.failed, nil) }
        do {
            let answer = try await client.send(OutgoingRequest(OutgoingURL(feed.order.url, settings: outgoing)))
            guard answer.body.count <= ListingImport.maxFileSize else { return (.tooLarge, nil) }
            guard answer.status == 200, answer.isComplete, !answer.body.isEmpty else { return (.refused, nil) }
            let file = try await imports.receive(PieceSequence(answer.body), by: owner)
            return (.imported, try await imports.create(file, feed.order.listings, by: owner).id)
        } catch let failure as OutgoingFailure {
            return (ImportFeed.Outcome(failure), nil)
        } catch let error as ServiceError where error.code == .quotaExceeded {
            return (.busy, nil)
        } catch let error as ServiceError {
            logger.error("a file was not imported", metadata: ["feed": "\(feed.id)", "reason": "\(error)"])
            return (.failed, nil)
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

import Domain
import Foundation
import Storage

/// Renews, closes and reopens many listings of one account or of its organisations, each only if the account may.
struct ListingBatchService: Sendable {
    let listings: ListingStore
    let matches: MatchService
    let breeds: Breeds
    let finder: any PlaceFinder

    static let maxCount = 200

    enum Action: String, CaseIterable, Sendable {
        case renew
        /// Closes listings of animals that came home.
        case reunited
        /// Closes listings for another reason.
        case closed
        /// Gives closed listings the status that they had before.
        case reopen
    }

    enum Outcome: String, CaseIterable, Sendable {
        case done
        case notFound = "not_found"
        case forbidden
        /// The listing is in a state in which the action does not apply, or was changed at the same time.
        case conflict
    }

    func perform(
        _ action: Action,
        on ids: [UUID],
        by account: Account
    ) async throws -> [(id: UUID, outcome: Outcome)] {
        var outcomes: [(id: UUID, outcome: Outcome)] = []
        for id in ids { outcomes.append((id, try await perform(action, on: id, by: account))) }
        return outcomes
    }

    private func perform(_ action: Action, on id: UUID, by account: Account) async throws -> Outcome {
        guard let listing = try await listings.findListing(id: id) else { return .notFound }
        guard account.acts(for: listing.owner) else { return listing.hidden ? .notFound : .forbidden }
        do {
            switch action {
            case .renew:
                guard listing.content.status?.isOpen == true || listing.expiredFrom != nil else { return .conflict }
                try await listings.renew(listing, by: account) { _ in }
            case .reunited: await matches.tellHome(of: try await set(.reunited, of: listing, by: account))
            case .closed: await matches.tellHome(of: try await set(.closed, of: listing, by: account))
            case .reopen:
                guard listing.content.status?.isOpen == false, let former = try listings.findFormerStatus(of: listing),
                    former.isOpen
                else { return .conflict }
                _ = try await set(former, of: listing, by: account)
            }
            return .done
        } catch let error as ServiceError where [.preconditionFailed, .notFound, .quotaExceeded].contains(error.code) {
            return .conflict
        }
    }

    private func set(_ status: Listing.Status, of listing: Listing, by account: Account) async throws -> Listing {
        let editor = ListingEditor(breeds: breeds, finder: finder)
        let (content, location) = try editor.edit(listing, ["status": .string(status.rawValue)])
        return try await listings.update(listing, content: content, location: location, version: nil, by: account)
    }
}

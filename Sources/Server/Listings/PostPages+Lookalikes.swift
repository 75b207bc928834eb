import Concurrency
import Domain
import Foundation
import HTTP
import Hummingbird
import Matching
import Pages
import Storage

/// The question before a sighting is posted: whether the animal is one of those missing near there.
extension PostPages {
    /// The greatest number of missing animals about which whoever saw one is asked.
    private static let maxLookalikes = 3

    /// - Parameter seen: what the model saw in the photos.
    /// - Returns: the question, or where the chosen answer leads; nil if the listing is to be posted.
    func answerSighting(
        _ sent: FormReader.SubmittedForm,
        _ written: (content: ListingContent, location: ListingLocation),
        _ seen: [RecordedClassification?],
        by author: Account?,
        _ request: Request,
        _ context: ServiceContext
    ) async throws -> Response? {
        guard written.content.status == .sighted else { return nil }
        let (typed, viewer) = (sent.typed, context.caller?.account)
        switch typed[ListingForm.sameAs] {
        case nil:
            let draft = ListingStore.Draft(content: written.content, location: written.location)
            // In a large city, thousands of listings are compared.
            let missing = try await site.slowReads.run(RequestMeter.current) {
                try lookalikes(of: draft, seen, by: author)
            }
            guard !missing.isEmpty else { return nil }
            return try site.page.show(request, viewer, isPrivate: true) {
                $0.form(nil, typed, lookalikes: missing, memberships: try memberships(of: viewer))
            }
        case ListingForm.sameAsNone: return nil
        case let chosen?:
            guard let id = UUID(uuidString: chosen),
                let lost = try site.stores.listings.find(id, seenBy: viewer, Listing.init)
            else {
                throw ServiceError.invalid(ListingForm.sameAs, "expected the ID of a listing")
            }
            return try await reporter.report(typed.asSighting, sent, of: lost, request, context)
        }
    }

    private func lookalikes(
        of draft: ListingStore.Draft,
        _ seen: [RecordedClassification?],
        by author: Account?
    ) throws -> [PossibleMatch<Listing>] {
        var draft = draft
        if draft.content.breed == nil, let breed = seen.lazy.compactMap(site.photoService.recogniser.breed).first {
            (draft.content.breedKey, draft.content.breedIsPredicted) = (breed.key, true)
        }
        return try site.stores.matches.findLost(
            like: draft,
            photos: seen.compactMap(\.self),
            by: author,
            minProbability: MatchPages.likely,
            limit: Self.maxLookalikes
        ) { row in try Listing(row) }
    }
}

extension [String: String] {
    /// The texts of the form of a listing as those of the form of a sighting.
    fileprivate var asSighting: [String: String] {
        let same: Set = [
            "lon", "lat", "place", ListingForm.placeChoice, ListingForm.pointChoice, "whereabouts", "contact_phone",
            "time_zone",
        ]
        var sighting = filter { same.contains($0.key) }
        sighting["seen_at"] = self["last_seen_at"]
        let texts = ["colour", "marks", "description"].compactMap { self[$0] }
        if !texts.isEmpty { sighting["text"] = texts.joined(separator: "\n") }
        return sighting
    }
}

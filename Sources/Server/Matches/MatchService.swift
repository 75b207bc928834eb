import Domain
import Storage

/// Stores what owners say of possible matches, and tells the other owners, for the API and the web pages alike.
struct MatchService: Sendable {
    let matches: MatchStore
    let delivery: Delivery

    /// Stores an answer; nil withdraws it.
    func answer(
        _ answer: MatchAnswer?,
        for listing: Listing,
        other: Listing,
        by account: Account
    ) async throws -> MatchAnswers {
        told(try await matches.answer(answer, for: listing, other: other, by: account, push: delivery.push))
    }

    /// Says that the animal of a confirmed match is home, or undoes that.
    func setHome(
        _ isHome: Bool,
        _ listing: Listing,
        other: Listing,
        by account: Account
    ) async throws -> MatchAnswers {
        told(try await matches.setHome(isHome, listing, other: other, by: account, push: delivery.push))
    }

    /// Tells the other owners of a confirmed match that the animal is home. Does nothing unless the listing has just become
    /// `reunited`. An error is ignored: the reunion is stored, and their pages show it.
    func tellHome(of listing: Listing) async {
        delivery.tell((try? await matches.tellHome(of: listing, push: delivery.push)) ?? [])
    }

    private func told(_ answered: AnsweredMatch) -> MatchAnswers {
        delivery.tell(answered.notices)
        return answered.answers
    }
}

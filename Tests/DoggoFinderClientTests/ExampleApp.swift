import DoggoFinderClient
import Foundation
import Observation

/// The state and actions of the screens of the page `BuildAnApp.md`.
@MainActor @Observable
final class Board {
    private(set) var listings: [Listing] = []
    private(set) var help: [PointOfInterest] = []
    private(set) var account: Account?
    var search = Search(.lost, .found, .sighted)
    var problem: String?
    private var service: DoggoFinder

    init(_ service: DoggoFinder) { self.service = service }

    /// Shows the board, and keeps it current until the screen is left.
    func follow() async {
        await attempt {
            for try await event in service.events(search) {
                switch event {
                case .connected, .reset: listings = try await service.listings(search, limit: 50).features
                case .created(let listing): listings.insert(listing, at: 0)
                case .updated(let listing): listings = listings.map { $0.id == listing.id ? listing : $0 }
                case .removed(let id): listings.removeAll { $0.id == id }
                }
            }
        }
    }

    func findHelp(around point: Coordinate) async {
        await attempt {
            help = try await service.help(.veterinary, .petShop, in: .circle(point, radius: 10_000)).features
        }
    }

    /// The name of the likeliest breed in a photo.
    func breed(in photo: Data) async -> String? {
        await attempt { try await service.recognise(photo).predictions.first?.name }
    }

    /// Posts a listing, as a guest where nobody has signed in.
    func post(_ fields: ListingFields, photo: Data?) async -> Listing? {
        await attempt {
            if service.token == nil { enter(try await service.becomeGuest()) }
            let listing = try await service.post(fields)
            if let photo { _ = try await service.set(photo, of: listing.id) }
            return try await service.listing(listing.id)
        }
    }

    func signIn(email: String, password: String) async {
        await attempt { enter(try await service.signIn(email: email, password: password)) }
    }

    private func enter(_ session: Session) {
        service.token = session.token
        account = session.account
    }

    @discardableResult
    private func attempt<Value>(_ body: () async throws -> Value?) async -> Value? {
        do { return try await body() } catch { problem = "\(error)" }
        return nil
    }
}

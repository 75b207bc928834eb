import Credentials
import Domain
import Foundation
import Photos
import Storage

/// The parts of a demo board besides its listings: pictures, conversations, reports and points of interest.
struct DemoScene {
    static let email = "demo@example.org"
    /// The number of listings with a picture, besides those in the town. Each picture is stored in four sizes.
    private static let maxPictures = 300

    let database: any Database
    let photoFiles: any PhotoFiles
    /// The owner of the listings.
    let owner: Account
    let texts: DemoTexts
    /// The box of the town, if the demo has one.
    let town: BoundingBox?

    /// Adds a drawn picture to each of the newest open listings, and of those in the town, with a coat.
    func addPictures(_ progress: ProgressReporter) async throws {
        let processor = try PhotoProcessor.besideThisProgram()
        let photos = PhotoStore(database)
        let newest = try await newest(Self.maxPictures)
        let others = if let town { try await self.newest(Self.maxPictures, in: town) } else { [Listing]() }
        let listings = newest + others.filter { other in !newest.contains { $0.id == other.id } }
        progress.begin("drawing pictures", total: listings.count)
        var drawn: [DrawnDog: ProcessedPhoto] = [:]
        for (number, listing) in listings.enumerated() {
            guard let dog = DrawnDog(listing.content, coats: texts.coats),
                try photos.find(.listing(listing.key, number: 1)) == nil
            else {
                continue
            }
            let photo: ProcessedPhoto
            if let known = drawn[dog] { photo = known } else { photo = try await process(dog, processor) }
            drawn[dog] = photo
            let id = UUID()
            try await photos.reserve(id)
            try await photoFiles.write(photo, id: id)
            let entry = StoredPhoto(id: id, width: photo.jpegs[0].width, height: photo.jpegs[0].height)
            _ = try await photos.put(entry, .listing(listing.key, number: 1))
            progress.update(number + 1)
        }
    }

    private func process(_ dog: DrawnDog, _ processor: PhotoProcessor) async throws -> ProcessedPhoto {
        let file = FileManager.default.temporaryDirectory.appending(path: "doggofinder-demo-\(UUID().uuidString).png")
        try dog.png().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await processor.process(file)
    }

    /// Adds an admin with conversations and reports. Returns the admin's password.
    func addPeople() async throws -> String {
        let accounts = AccountStore(database)
        let password = Token.password()
        var profile = Profile()
        profile.firstName = "Demo"
        let registration = AccountStore.Registration(
            email: Self.email,
            passwordHash: try await PasswordHasher().hash(password),
            profile: profile
        )
        let admin = try await accounts.register(registration, upgrading: nil, tokenHash: nil)
        try await accounts.setRole(admin, .admin)
        let listings = try await newest(texts.conversations.count + 3)
        try await converse(admin, about: listings)
        try await report(listings.dropFirst(texts.conversations.count))
        return password
    }

    /// Whether the board is one that this command has begun.
    var isDemo: Bool {
        get async throws { try await AccountStore(database).findAccount(email: Self.email) != nil }
    }

    /// Adds the points of interest, unless they are there.
    func addHelp(_ help: InventedHelp) async throws {
        let store = PointOfInterestStore(database)
        guard try await store.count(source: InventedHelp.source) == 0 else { return }
        _ = try await store.put(help.pointsOfInterest(), source: InventedHelp.source)
    }

    private func converse(_ writer: Account, about listings: [Listing]) async throws {
        let store = ConversationStore(database)
        for (listing, words) in zip(listings, texts.conversations) {
            let address = MessageAddress.owner(ofListing: listing.id)
            let sent = try await store.write(MessageContent(text: words[0]), id: UUID(), to: address, by: writer)
            let reply = MessageContent(text: words[1])
            _ = try await store.write(reply, id: UUID(), to: .conversation(sent.conversation), by: owner)
        }
    }

    private func report(_ listings: ArraySlice<Listing>) async throws {
        let reports: [(Report.Reason, String)] = [
            (.scam, texts.reports.scam), (.wrong, texts.reports.wrong), (.spam, texts.reports.spam),
        ]
        for (listing, (reason, text)) in zip(listings, reports) {
            let reporter = try await AccountStore(database).createGuest(tokenHash: Token().digest)
            let draft = Report.Draft(subject: .listing, id: listing.id, reason: reason, text: text)
            try await ReportStore(database).file(draft, by: reporter)
        }
    }

    private func newest(_ count: Int, in box: BoundingBox? = nil) async throws -> [Listing] {
        var query = ListingQuery()
        query.box = box
        query.owner = owner.key
        query.limit = count
        return try await ListingSearch(database).find(query).entries.map(\.listing)
    }
}

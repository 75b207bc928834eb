import DoggoFinderClient
import Foundation
import ServerSupport
import TestSupport
import Testing

/// The client against the real server.
@Suite("Client with the service")
struct ServiceTests {
    private static let point = Coordinate(lon: 14.79, lat: 40.77)
    private static let day = Date(timeIntervalSince1970: 1_780_000_000)

    private static func client(_ service: RunningService) throws -> DoggoFinder {
        DoggoFinder(at: try #require(URL(string: service.base)))
    }

    private static func guest(_ service: RunningService) async throws -> DoggoFinder {
        var client = try client(service)
        client.token = try await client.becomeGuest().token
        return client
    }

    private static func fields(_ status: Status, name: String? = "Argo") -> ListingFields {
        var fields = ListingFields(status, at: point)
        fields.name = name
        fields.breed = "beagle"
        fields.sex = .male
        fields.locationPrecision = .exact
        return fields
    }

    @Test("A listing is posted once, with a photo, found, changed and deleted")
    func listings() async throws {
        try await RunningService.with { service in
            let owner = try await Self.guest(service)
            let key = UUID()
            let posted = try await owner.post(Self.fields(.lost), key: key)
            #expect(try await owner.post(Self.fields(.lost), key: key).id == posted.id)
            #expect((posted.name, posted.breedKey, posted.place) == ("Argo", "beagle", "Fisciano"))
            let photo = try await owner.set(
                Data(try plainPNG(width: 60, height: 40, colour: [255, 0, 0])), of: posted.id)
            #expect((photo.number, photo.width, photo.classification?.outcome) == (1, 60, .accepted))

            let reader = try Self.client(service)
            let near = Search(.lost, text: "argo", in: .circle(Self.point, radius: 1000))
            let found = try await reader.listings(near)
            #expect(found.features.map(\.id) == [posted.id])
            #expect(found.features.first?.photos.map(\.url) == [photo.url])
            #expect(found.features.first?.distance == 0)
            #expect(try await reader.listings(Search(.found)).features.isEmpty)
            #expect(try await reader.count(near).count == 1)

            var change = ListingFields()
            change.collar = "red + green"
            change.name = ""
            let changed = try await owner.edit(posted.id, change)
            #expect((changed.collar, changed.name, changed.breed) == ("red + green", nil, posted.breed))
            #expect(try await reader.listings(Search(text: "\"red + green\"")).features.count == 1)
            #expect(try await owner.renew(posted.id).expiresAt != nil)
            try await owner.deletePhoto(1, of: posted.id)
            #expect(try await reader.listing(posted.id).photos == [])
            try await owner.delete(posted.id)
            let problem = await #expect(throws: Problem.self) { try await reader.listing(posted.id) }
            #expect(problem?.status == 404)
        }
    }

    @Test("Pages follow each other to the last one")
    func pages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await Self.guest(service)
            var ids: Set<UUID> = []
            for number in 0..<5 { ids.insert(try await owner.post(Self.fields(.lost, name: "Argo \(number)")).id) }
            var page = try await owner.ownListings(limit: 2)
            var read = page.features
            while let next = try await owner.page(after: page) {
                page = next
                read += page.features
            }
            #expect(read.count == 5 && Set(read.map(\.id)) == ids)
        }
    }

    @Test("Errors tell what was expected, in the client's language")
    func problems() async throws {
        try await RunningService.with(hasModel: false) { service in
            var client = try await Self.guest(service)
            client.language = "it"
            let refused = await #expect(throws: Problem.self) { try await client.post(ListingFields(.lost, in: "")) }
            #expect(refused?.status == 400 && refused?.field == "place")
            #expect(refused?.detail.contains("expected") == false)
            let unclear = await #expect(throws: Problem.self) {
                try await client.post(ListingFields(.lost, in: "San Giovanni"))
            }
            #expect((unclear?.candidates ?? []).count > 1)
            client.token = nil
            let anonymous = await #expect(throws: Problem.self) { try await client.alerts() }
            #expect(anonymous?.status == 401)
        }
    }

    @Test("A guest registers and keeps the listings, signs out and in again, and deletes the account")
    func sessions() async throws {
        try await RunningService.with(hasModel: false) { service in
            var client = try await Self.guest(service)
            let listing = try await client.post(Self.fields(.lost))
            var registration = Registration(email: "anna@example.org", password: "correct horse")
            registration.firstName = "Anna"
            let session = try #require(try await client.register(registration))
            client.token = session.token
            #expect(session.account.role == .user && session.account.firstName == "Anna")
            #expect(try await client.ownListings().features.map(\.id) == [listing.id])
            try await client.signOut()
            let ended = await #expect(throws: Problem.self) { try await client.account() }
            #expect(ended?.status == 401)
            client.token = try await client.signIn(email: "anna@example.org", password: "correct horse").token
            #expect(try await client.account().email == "anna@example.org")
            try await client.deleteAccount()
            client.token = nil
            #expect(try await client.listings().features.isEmpty)
        }
    }

    @Test("Owners agree on a match; sightings are reported with a photo and confirmed")
    func matchesAndSightings() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await Self.guest(service)
            let finder = try await Self.guest(service)
            let lost = try await owner.post(Self.fields(.lost)).id
            let found = try await finder.post(Self.fields(.found, name: nil)).id
            let match = try #require(try await owner.matches(of: lost).matches.first)
            #expect(match.listing.id == found && match.probability > 0 && !match.evidence.isEmpty)
            #expect(try await owner.answer(lost, found, .yes).state == .waiting)
            #expect(try await finder.answer(found, lost, .yes).state == .agreed)
            #expect(try await owner.setHome(lost, found).state == .home)
            #expect(try await owner.undoHome(lost, found).state == .agreed)
            #expect(try await finder.withdrawAnswer(found, lost).state == .asked)
            #expect(try await owner.answers(lost, found).otherAnswer == nil)

            let sighting = SightingFields(at: Self.point, text: "By the station")
            let photo = Data(try plainPNG(width: 30, height: 20))
            let reported = try await finder.report(sighting, of: lost, photo: photo)
            #expect((reported.text, reported.photo?.width, reported.state) == ("By the station", 30, .proposed))
            let plain = try await finder.report(SightingFields(in: "Eboli"), of: lost)
            #expect(plain.place?.contains("Eboli") == true && plain.photo == nil)
            #expect(try await owner.decide(reported.id, of: lost, .confirmed).state == .confirmed)
            #expect(try await owner.sightings(of: lost).count == 2)
        }
    }

    @Test("Alerts are created, changed and deleted")
    func alerts() async throws {
        try await RunningService.with(hasModel: false) { service in
            let client = try await Self.guest(service)
            let alert = try await client.createAlert(
                AlertFields(AlertSearch(around: Self.point, radius: 5000, status: .lost), name: "Home"))
            #expect((alert.name, alert.search?["status"], alert.paused) == ("Home", "lost", false))
            #expect(try await client.editAlert(alert.id, AlertChanges(paused: true)).paused)
            #expect(try await client.alerts().map(\.id) == [alert.id])
            #expect(try await client.alert(alert.id).name == "Home")
            #expect(try await client.findings(of: alert.id).listings.isEmpty)
            try await client.deleteAlert(alert.id)
            #expect(try await client.alerts().isEmpty)
        }
    }

    @Test("The place of a point, breeds, a photo's breed and help nearby have the client's language")
    func places() async throws {
        try await RunningService.with { service in
            var client = try Self.client(service)
            client.language = "it"
            let address = try await client.place(at: Self.point)
            #expect((address.place.municipality, address.place.country) == ("Fisciano", "Italia"))
            #expect(try await client.breeds(beginning: "pastore ted").first?.key == "german_shepherd")
            let red = Data(try plainPNG(width: 60, height: 40, colour: [255, 0, 0]))
            let recognised = try await client.recognise(red)
            #expect(recognised.outcome == .accepted && recognised.predictions.first?.key == "beagle")
            #expect(try await client.help(.veterinary, in: .near(Self.point)).features.isEmpty)
        }
    }

    @Test("The stream tells what is posted, changed and deleted")
    func stream() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await Self.guest(service)
            var events = owner.events(Search(.lost)).makeAsyncIterator()
            guard case .connected? = try await events.next() else { throw TestFailure("not connected") }
            let id = try await owner.post(Self.fields(.lost)).id
            guard case .created(let created)? = try await events.next() else { throw TestFailure("not created") }
            #expect(created.id == id && created.name == "Argo")
            var change = ListingFields()
            change.name = "Bello"
            _ = try await owner.edit(id, change)
            guard case .updated(let updated)? = try await events.next() else { throw TestFailure("not updated") }
            #expect(updated.name == "Bello")
            try await owner.delete(id)
            guard case .removed(id)? = try await events.next() else { throw TestFailure("not removed") }
        }
    }

    @Test("A stream that the service refuses ends with its error")
    func refusedStream() async throws {
        try await RunningService.with(hasModel: false) { service in
            let refused = Search(in: .circle(Self.point, radius: -1))
            let problem = await #expect(throws: Problem.self) {
                for try await _ in try Self.client(service).events(refused) {}
            }
            #expect(problem?.field == "radius")
        }
    }

    @Test("A stream that was interrupted continues after the last event")
    func interruptedStream() async throws {
        let id = UUID()
        let text = "id: 5\nretry: 1\nevent: listing.removed\ndata: {\"id\": \"\(id)\"}\n\n"
        let server = try ScriptedHTTPServer(.body(text))
        defer { server.stop() }
        var events = DoggoFinder(at: try #require(server.address)).events().makeAsyncIterator()
        for _ in 0..<2 {
            guard case .connected? = try await events.next(), case .removed(id)? = try await events.next() else {
                throw TestFailure("another event")
            }
        }
        // Foundation changes the case of names.
        let requests = server.requests.map { $0.lowercased() }
        #expect(requests.first?.contains("last-event-id") == false)
        #expect(requests.dropFirst().allSatisfy { $0.contains("last-event-id: 5\r\n") })
    }
}

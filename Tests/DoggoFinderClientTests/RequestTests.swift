import Foundation
import FoundationNetworking
import Synchronization
import Testing

import enum Domain.JSONValue

@testable import DoggoFinderClient

/// The requests against the operations of the document. The answers are samples of the document.
@Suite("Client's requests")
struct RequestTests {
    struct Call: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let send: @Sendable (DoggoFinder) async throws -> Void

        init(_ name: String, _ send: @escaping @Sendable (DoggoFinder) async throws -> Void) {
            testDescription = name
            self.send = send
        }
    }

    private static let id = UUID()
    private static let other = UUID()
    private static let point = Coordinate(lon: 14.79, lat: 40.77)

    private static var search: Search {
        var search = Search(.lost, .sighted, text: "red collar & tag", in: .circle(point, radius: 5000))
        search.species = .dog
        search.breed = "beagle"
        search.hasCrosses = false
        search.place = "Salerno"
        search.isTextRead = false
        search.since = Date(timeIntervalSince1970: 0)
        search.until = Date()
        return search
    }

    /// With all members.
    static var fields: ListingFields {
        var fields = ListingFields(.lost, at: point)
        fields.place = "Fisciano"
        fields.whereabouts = "Via Roma 12"
        fields.locationPrecision = .exact
        fields.pointConfirmed = true
        fields.lastSeenAt = Date(timeIntervalSince1970: 1)
        fields.species = .dog
        fields.name = "Argo"
        fields.breed = "beagle"
        fields.sex = .male
        fields.size = .medium
        fields.age = "3 years"
        fields.colour = "black"
        fields.collar = "red"
        fields.marks = "white paw"
        fields.microchip = "380260000000001"
        fields.secretMark = "a scar"
        fields.reward = "100 EUR"
        fields.description = "Shy"
        fields.contactName = "Anna"
        fields.contactPhone = "+39 333 1234567"
        fields.contactEmail = "anna@example.org"
        fields.contactNamePublic = true
        fields.contactPhonePublic = true
        fields.contactEmailPublic = false
        fields.reference = "17"
        return fields
    }

    static let calls = [
        Call("listings") { _ = try await $0.listings(search, by: .newest, like: id, limit: 10) },
        Call("listings in a box") {
            _ = try await $0.listings(Search(in: .box(west: 14, south: 40, east: 15, north: 41)))
        },
        Call("own listings") { _ = try await $0.ownListings(search, limit: 10) },
        Call("count") { _ = try await $0.count(search) },
        Call("listing") { _ = try await $0.listing(id) },
        Call("post") { _ = try await $0.post(fields) },
        Call("post in a town") { _ = try await $0.post(ListingFields(.found, in: "Eboli")) },
        Call("edit") { _ = try await $0.edit(id, fields) },
        Call("delete") { try await $0.delete(id) },
        Call("renew") { _ = try await $0.renew(id) },
        Call("set photo") { _ = try await $0.set(Data([1]), as: 2, of: id) },
        Call("delete photo") { try await $0.deletePhoto(2, of: id) },
        Call("recognise") { _ = try await $0.recognise(Data([1])) },
        Call("breeds") { _ = try await $0.breeds(beginning: "bea", of: .dog, limit: 5) },
        Call("matches") { _ = try await $0.matches(of: id, minimumProbability: 0.1, isSameSide: true, limit: 5) },
        Call("answers") { _ = try await $0.answers(id, other) },
        Call("answer") { _ = try await $0.answer(id, other, .yes) },
        Call("withdraw answer") { _ = try await $0.withdrawAnswer(id, other) },
        Call("set home") { _ = try await $0.setHome(id, other) },
        Call("undo home") { _ = try await $0.undoHome(id, other) },
        Call("sightings") { _ = try await $0.sightings(of: id) },
        Call("report a sighting") {
            var sighting = SightingFields(at: point, text: "By the river")
            sighting.pointConfirmed = true
            sighting.contactPhone = "+39 333 1234567"
            _ = try await $0.report(sighting, of: id)
        },
        Call("report a sighting with a photo") {
            _ = try await $0.report(SightingFields(in: "Eboli"), of: id, photo: Data([1]))
        },
        Call("decide on a sighting") { _ = try await $0.decide(other, of: id, .confirmed) },
        Call("alerts") { _ = try await $0.alerts() },
        Call("alert") { _ = try await $0.alert(id) },
        Call("create an alert") {
            var search = AlertSearch(around: point, radius: 5000, status: .lost)
            search.polygon = [[14, 40], [15, 40], [15, 41]]
            search.bbox = "14,40,15,41"
            search.place = "Salerno"
            search.species = .dog
            search.breed = "beagle"
            search.crosses = "no"
            search.q = "collar"
            search.reading = "no"
            search.lang = "it"
            search.organisation = id
            _ = try await $0.createAlert(AlertFields(search, name: "Home"))
        },
        Call("create an alert of matches") {
            _ = try await $0.createAlert(AlertFields(matchesOf: id, minimumProbability: 0.1))
        },
        Call("edit an alert") {
            let search = AlertSearch(in: "Salerno")
            _ = try await $0.editAlert(
                id, AlertChanges(name: "", paused: true, search: search, minimumProbability: 0.2))
        },
        Call("delete an alert") { try await $0.deleteAlert(id) },
        Call("findings") { _ = try await $0.findings(of: id, limit: 5) },
        Call("guest") { _ = try await $0.becomeGuest() },
        Call("register") {
            var registration = Registration(email: "anna@example.org", password: "correct horse")
            registration.firstName = "Anna"
            registration.lastName = "Rossi"
            registration.phone = "+39 333 1234567"
            registration.picture = "https://example.org/anna.jpg"
            _ = try await $0.register(registration)
        },
        Call("sign in") {
            _ = try await $0.signIn(email: "anna@example.org", password: "correct horse", code: "123456")
        },
        Call("sign out") { try await $0.signOut() },
        Call("account") { _ = try await $0.account() },
        Call("delete account") { try await $0.deleteAccount() },
        Call("help") { _ = try await $0.help(.veterinary, .petShop, in: .near(point), limit: 5) },
        Call("place") { _ = try await $0.place(at: point) },
    ]

    @Test("Each request is an operation of the document", arguments: calls)
    func request(_ call: Call) async throws {
        let service = try DocumentedService(try await ServiceDocument.read())
        try await call.send(service.client)
        #expect(service.problems == [])
        #expect(service.requests.count == 1)
    }

    @Test("A page is followed at the address that the client knows")
    func pages() async throws {
        let service = try DocumentedService(try await ServiceDocument.read())
        let link =
            #"{"features": [], "links": [{"rel": "next", "href": "https://example.org/dogs/v1/listings?q=a%2Bb&cursor=7"}]}"#
        let page = try JSONDecoder.wire.decode(FeaturePage<Listing>.self, from: Data(link.utf8))
        _ = try await service.client.page(after: page)
        #expect(service.requests.map { $0.url?.absoluteString } == ["http://here:1/below/v1/listings?q=a%2Bb&cursor=7"])
        #expect(service.requests.first?.value(forHTTPHeaderField: "Authorization") == "Bearer secret")
        let last = try JSONDecoder.wire.decode(
            FeaturePage<Listing>.self, from: Data(#"{"features": [], "links": []}"#.utf8))
        #expect(try await service.client.page(after: last) == nil)
    }

    @Test("All fields of a listing can be written")
    func allFields() async throws {
        let document = try await ServiceDocument.read()
        let written = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder.wire.encode(Self.fields))
        // The owner of a listing is the account; the app of an organisation needs more than this client.
        for (schema, absent) in [("NewListingAtPoint", ["organisation"]), ("ListingPatch", [])] {
            let known = document.schema(schema)["properties"]?.fields ?? [:]
            #expect(known.keys.filter { written[$0] == nil } == absent, "\(schema)")
        }
    }

    @Test("An answer that is no problem of the service is one all the same")
    func foreignProblem() async throws {
        let client = DoggoFinder(at: try #require(URL(string: "http://here"))) { request in
            (Data("<h1>Bad gateway</h1>".utf8), try response(502, to: request))
        }
        let problem = await #expect(throws: Problem.self) { try await client.alerts() }
        #expect(problem?.status == 502)
        #expect(problem?.detail == "<h1>Bad gateway</h1>")
    }
}

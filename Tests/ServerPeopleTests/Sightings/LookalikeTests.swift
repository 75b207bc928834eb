import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Missing animals that a seen one may be")
struct LookalikeTests {
    private static let lost =
        #"{"status": "lost", "species": "dog", "breed": "Beagle", "name": "Argo", "colour": "tricolore", "lon": 14.7912, "lat": 40.7723}"#
    private static let seen =
        "status=sighted&species=dog&breed=Beagle&colour=tricolore&lon=14.7930&lat=40.7731&description=Presso+la+stazione"
    private static let headers = [
        "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
        "Accept": "text/html", "Accept-Language": "en",
    ]

    private static func post(
        _ service: RunningService, _ more: String = "", form: String = seen
    ) async throws -> RunningService.Answer {
        try await service.send("POST", "/post", bytes: Data((form + more).utf8), nil, headers, isFollowing: false)
    }

    private static func count(_ service: RunningService, _ status: String) async throws -> JSONValue? {
        try await service.send("GET", "/v1/listings?status=\(status)")["numberReturned"]
    }

    @Test(
        "Whoever posts a sighting is asked whether it is one of those missing near there, and nothing is posted before")
    func question() async throws {
        try await RunningService.with(hasModel: false) { service in
            let argo = try await service.post(Self.lost, try await service.guest())
            let asked = try await Self.post(service)
            #expect(asked.status == 200 && asked.html.contains("Is it one of these?"))
            #expect(
                asked.html.contains(#"name="same_as" value="\#(argo)""#) && asked.html.contains("Presso la stazione"))
            #expect(try await Self.count(service, "sighted") == .number(0))
            let posted = try await Self.post(service, "&same_as=none")
            #expect(posted.status == 303 && posted.headers["location"]?.hasSuffix("?posted") == true)
            #expect(try await Self.count(service, "sighted") == .number(1))
        }
    }

    @Test("An answer becomes a sighting of the missing animal, with its place and its texts")
    func answer() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let argo = try await service.post(Self.lost, owner)
            let answered = try await Self.post(service, "&same_as=\(argo)&whereabouts=Via+Roma&last_seen_at=")
            #expect(answered.status == 303)
            #expect(answered.headers["location"]?.contains("/listings/\(argo)?done=sighting.thanks") == true)
            #expect(try await Self.count(service, "sighted") == .number(0))
            let sightings = try await service.send("GET", "/v1/listings/\(argo)/sightings", token: owner)
            #expect(sightings.text("sightings", "0", "text") == "Via Roma\ntricolore\nPresso la stazione")
            #expect(sightings["sightings", "0", "lon"] != nil)
        }
    }

    @Test("Nobody is asked about other species, about distant animals, or when posting a found one")
    func others() async throws {
        try await RunningService.with(hasModel: false) { service in
            _ = try await service.post(Self.lost, try await service.guest())
            for (old, new) in [
                ("species=dog&breed=Beagle", "species=cat"), ("lon=14.7930&lat=40.7731", "lon=7.6869&lat=45.0703"),
                ("status=sighted", "status=found"),
            ] {
                let answer = try await Self.post(service, form: Self.seen.replacing(old, with: new))
                #expect(answer.status == 303, "\(new)")
            }
        }
    }

    @Test("A listing that is none, or is not missing any more, is refused with a reason", arguments: ["x", nil])
    func refused(id: String?) async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let argo = try await service.post(Self.lost, owner)
            _ = try await service.send("PATCH", "/v1/listings/\(argo)", #"{"status": "reunited"}"#, token: owner)
            let answer = try await Self.post(service, "&same_as=\(id ?? argo)")
            #expect((400..<500).contains(answer.status) && answer.html.contains("Presso la stazione"))
            #expect(try await Self.count(service, "sighted") == .number(0))
        }
    }
}

import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Likely owners of the animals of an organisation")
struct OrganisationMatchTests {
    /// An organisation of Anna with two animals, of which the owner of a beagle misses one.
    private struct Shelter {
        let service: RunningService
        let anna, owner, path: String
        let animal, lost: String

        /// The page of the list.
        var page: String { "/account/organisations/\(path.suffix(36))/matches" }
        var match: String { "/listings/\(animal)/matches/\(lost)" }

        init(_ service: RunningService) async throws {
            self.service = service
            (anna, path) = try await OrganisationRoutesTests.make(service)
            let organisation = #", "organisation": "\#(path.suffix(36))""#
            animal = try await service.post(Self.dog("found", "Beagle", extra: organisation), anna)
            _ = try await service.post(Self.dog("found", "Maltese", extra: organisation), anna)
            owner = try await service.register("owner@example.org")
            // It is posted later, so that the animal has to be compared again.
            let phone = #", "name": "Zorro", "contact_phone": "+39 089 1234567", "contact_phone_public": true"#
            lost = try await service.post(Self.dog("lost", "Beagle", extra: phone), owner)
            try await until("the comparison") { try await pairs().contains("\(animal) \(lost)") }
        }

        private static func dog(_ status: String, _ breed: String, extra: String) -> String {
            """
            {"status": "\(status)", "lon": 14.79, "lat": 40.77, "breed": "\(breed)", "colour": "tricolore", "sex": "male"\(extra)}
            """
        }

        /// The ids of the animals and of the lost listings.
        func pairs(_ query: String = "") async throws -> [String] {
            let answer = try await service.send("GET", "\(path)/matches\(query)", token: anna)
            guard answer.status == 200 else { throw TestFailure(answer.html) }
            return (0..<5).compactMap { index in
                guard let animal = answer.text("matches", "\(index)", "animal", "id"),
                    let lost = answer.text("matches", "\(index)", "listing", "id")
                else { return nil }
                return "\(animal) \(lost)"
            }
        }

        func visitor(_ email: String = "anna@example.org") async throws -> FormVisitor {
            let visitor = FormVisitor(service)
            try await visitor.submit("/account/sign-in", ["email": email, "password": "correct horse"])
            return visitor
        }
    }

    @Test("Members see the pairs with reasons, the likeliest first; keys read them; others do not")
    func list() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            let answer = try await service.send(
                "GET", "\(shelter.path)/matches", token: shelter.anna, headers: ["Accept-Language": "it"])
            #expect(answer.headers["content-language"] == "it" && answer.headers["cache-control"] == "no-store")
            #expect(answer.html.contains("La razza corrisponde") && answer.text("matches", "0", "state") == "undecided")
            #expect(answer.text("matches", "0", "animal", "id") == shelter.animal)
            guard case .number(let probability) = answer["matches", "0", "probability"] else {
                throw TestFailure(answer.html)
            }
            #expect(probability > 0.2 && probability <= 1)
            let key = #"{"name": "software", "scopes": ["listings:read"]}"#
            let token = try await service.send("POST", "\(shelter.path)/keys", key, token: shelter.anna).created(
                "token")
            #expect(try await service.send("GET", "\(shelter.path)/matches", token: token).status == 200)
            #expect(try await service.send("GET", "\(shelter.path)/matches", token: shelter.owner).status == 403)
            #expect(try await service.send("GET", "\(shelter.path)/matches").status == 401)
            for query in ["cursor=x", "limit=0"] {
                let refused = try await service.send("GET", "\(shelter.path)/matches?\(query)", token: shelter.anna)
                #expect(refused.status == 400)
            }
            let again = #"{"status": "lost", "lon": 14.79, "lat": 40.77, "breed": "Beagle", "sex": "male"}"#
            let other = try await service.post(again, shelter.owner)
            try await until("the second pair") { try await shelter.pairs().contains("\(shelter.animal) \(other)") }
            let first = try await service.send("GET", "\(shelter.path)/matches?limit=1", token: shelter.anna)
            let next = try #require(first.text("links", "1", "href").flatMap(URL.init(string:))?.query)
            let all = try await shelter.pairs()
            #expect(try await shelter.pairs("?" + next) == [all[1]] && all.count >= 2)
        }
    }

    @Test("The page calls, writes and takes a no, which can be undone; the pair is gone until then")
    func answers() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            let visitor = try await shelter.visitor()
            let page = try await visitor.get(shelter.page).html
            #expect(page.contains("href=\"tel:+390891234567\"") && page.contains("/listings/\(shelter.lost)/write"))
            #expect(page.contains("action=\"\(shelter.match)\"") && page.contains("The breed fits"))
            let organisation = String(shelter.path.suffix(36))
            let sent = try await visitor.submit(shelter.match, ["answer": "no", "organisation": organisation])
            let back = try #require(sent.location?.firstMatch(of: #/\/account\/organisations.*/#)).output
            let after = try await visitor.get(String(back)).html
            #expect(after.contains("not the same animal") && after.contains("Undo"))
            #expect(try await !shelter.pairs().contains("\(shelter.animal) \(shelter.lost)"))
            let undone = try await visitor.submit(shelter.match, ["answer": "", "organisation": organisation])
            #expect(undone.location?.hasSuffix("\(shelter.page)?done=match.saved") == true)
            #expect(try await shelter.pairs().contains("\(shelter.animal) \(shelter.lost)"))
            #expect(try await FormVisitor(service).get(shelter.page).status == 401)
            #expect(try await shelter.visitor("owner@example.org").get(shelter.page).status == 403)
            // What was answered with something else, or by others, is not told.
            let told = try await visitor.get("\(shelter.page)?animal=\(shelter.animal)&lost=\(shelter.lost)").html
            #expect(!told.contains("not the same animal"))
        }
    }

    @Test("After a yes of both, the page says that the animal is home, which closes the pair")
    func home() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            let visitor = try await shelter.visitor()
            let organisation = String(shelter.path.suffix(36))
            try await visitor.submit(shelter.match, ["answer": "yes", "organisation": organisation])
            #expect(try await visitor.get(shelter.page).html.contains("Now the other person answers"))
            let theirs = "/v1/listings/\(shelter.lost)/matches/\(shelter.animal)"
            let agreed = try await service.send("PUT", theirs, #"{"answer": "yes"}"#, token: shelter.owner)
            #expect(agreed.text("state") == "agreed")
            #expect(try await visitor.get(shelter.page).html.contains("action=\"\(shelter.match)/home\""))
            let home = try await visitor.submit(shelter.match + "/home", ["home": "yes"])
            #expect(home.location?.hasSuffix("/listings/\(shelter.animal)/home") == true)
            #expect(try await shelter.pairs().isEmpty)
        }
    }
}

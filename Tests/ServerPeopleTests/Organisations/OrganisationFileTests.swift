import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Animals of organisations in other programs")
struct OrganisationFileTests {
    private static let header = [
        "asm3": "ANIMALCODE,ANIMALNAME,ANIMALSPECIES,ANIMALSEX,ANIMALBREED1,ANIMALCOLOR,ANIMALMICROCHIP,",
        "petfinder": "ID,Internal,AnimalName,PrimaryBreed,SecondaryBreed,Sex,Size,Age,Desc,Type,Status,Shots,",
    ]

    private static func dog(_ name: String, _ organisation: String, _ extra: String = "") -> String {
        """
        {"status": "found", "name": "\(name)", "place": "Salerno", "reference": "\(name)-1", "sex": "male", "size": "large",
         "breed": "Beagle", "microchip": "380260000000001", "last_seen_at": "2026-11-20", "organisation": "\(organisation)"\(extra)}
        """
    }

    @Test("Members get the found animals in the columns of a program, which this service imports again")
    func files() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let organisation = String(path.suffix(36))
            _ = try await service.post(Self.dog("Argo", organisation), anna)
            _ = try await service.post(Self.dog("=Bruna", organisation, #", "description": "Shy, \"old\" dog""#), anna)
            _ = try await service.post(
                #"{"status": "lost", "place": "Salerno", "organisation": "\#(organisation)"}"#, anna)
            for (format, header) in Self.header {
                let answer = try await service.send("GET", "\(path)/animals.csv?format=\(format)", token: anna)
                #expect(answer.status == 200 && answer.headers["content-type"]?.hasPrefix("text/csv") == true)
                #expect(answer.headers["content-disposition"]?.contains("doggofinder-\(format)-") == true)
                let lines = answer.html.split(separator: "\r\n")
                #expect(lines.count == 3 && lines[0].hasPrefix(header))
                let columns = lines[0].count { $0 == "," }
                #expect(lines[1].count { $0 == "," } == columns && lines[1].contains("2026-11-20"))
                #expect(answer.html.contains("'=Bruna") && answer.html.contains(#""Shy, ""old"" dog""#))
                #expect(answer.html.contains("380260000000001") == (format == "asm3"))
            }
            let file = try await service.send("GET", "\(path)/animals.csv?format=asm3", token: anna).html
            let again = try await service.ended(try await service.upload(file, anna), anna)
            #expect(again["rows", "created"] == .number(2), "\(again.html)")
            let refused = try await service.send("GET", "\(path)/animals.csv?format=xml", token: anna)
            #expect(refused.status == 400 && refused.text("field") == "format")
            #expect(try await service.send("GET", "\(path)/animals.csv", token: anna).text("field") == "format")
            let stranger = try await service.register("bruno@example.org")
            #expect(try await service.send("GET", "\(path)/animals.csv?format=asm3", token: stranger).status == 403)
        }
    }

    @Test("The list for the organisation's own web site is public, cached, and framed by no other site")
    func embedding() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let organisation = String(path.suffix(36))
            _ = try await service.post(Self.dog("Argo", organisation), anna)
            let page = "/organisations/\(organisation)/embed"
            func policy() async throws -> String {
                let answer = try await service.send("GET", page, token: anna, headers: ["Accept": "text/html"])
                #expect(answer.status == 200 && answer.headers["cache-control"] == "public, max-age=300")
                #expect(answer.html.contains("Argo") && !answer.html.contains("380260000000001"))
                #expect(answer.headers["set-cookie"] == nil)
                return answer.headers["content-security-policy"] ?? ""
            }
            #expect(try await policy().contains("frame-ancestors 'none'"))
            let edited = try await service.send(
                "PATCH", path, #"{"website": "https://Canile.example.org:8443/cani?x=1"}"#, token: anna)
            #expect(edited.status == 200)
            #expect(try await policy().hasSuffix("frame-ancestors https://canile.example.org:8443"))
            let visitor = FormVisitor(service)
            try await visitor.submit("/account/sign-in", ["email": "anna@example.org", "password": "correct horse"])
            let members = try await visitor.get("/account/organisations/\(organisation)").html
            #expect(members.contains("&lt;iframe src=&quot;https://dogs.example.org\(page)&quot;"))
            #expect(try await service.send("GET", "/organisations/\(UUID().lowercased)/embed").status == 404)
        }
    }
}

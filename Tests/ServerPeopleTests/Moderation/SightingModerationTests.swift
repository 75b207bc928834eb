import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Moderation of sightings")
struct SightingModerationTests {
    @Test("An admin removes a reported sighting on the page of reports, after a question, and it is recorded")
    func page() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, author) = (try await service.guest(), try await service.guest())
            let listing = try await service.post(#"{"status": "lost", "lon": 14.79, "lat": 40.77}"#, owner)
            let sightings = "/v1/listings/\(listing)/sightings"
            let seen = #"{"lon": 14.801357, "lat": 40.781357, "text": "Buy my dog food"}"#
            let added = try await service.send("POST", sightings, seen, token: author)
            let id = try #require(added.text("id"))
            let report = #"{"subject": "sighting", "id": "\#(id)", "reason": "spam"}"#
            #expect(try await service.send("POST", "/v1/reports", report, token: owner).status == 202)
            let admin = try await service.admin()
            let html = ["Accept": "text/html"]
            let page = try await service.send("GET", "/moderation", token: admin, headers: html)
            #expect(page.html.contains("Remove the sighting") && page.html.contains("Buy my dog food"))
            #expect(!page.html.contains("14.801357"))
            let found = try #require(try service.board.reports.cases(.init()).cases.first?.id.uuidString.lowercased())
            func act(_ form: String) async throws -> RunningService.Answer {
                let headers = [
                    "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html",
                    "Sec-Fetch-Site": "same-origin",
                ]
                let path = "/moderation/reports/\(found)"
                return try await service.send("POST", path, bytes: Data(form.utf8), admin, headers, isFollowing: false)
            }
            let question = try await act("action=remove&reason=spam")
            #expect(question.status == 200 && question.html.contains("Remove this sighting for good?"))
            #expect(try await service.send("GET", sightings, token: owner)["numberReturned"] == .number(1))
            #expect(try await act("action=remove&reason=spam&confirmed=yes").status == 303)
            #expect(try await act("action=remove&reason=spam&confirmed=yes").status == 404)
            for token in [owner, author] {
                #expect(try await service.send("GET", sightings, token: token)["numberReturned"] == .number(0))
            }
            #expect(try service.board.reports.cases(.init()).cases.isEmpty)
            let audit = try await service.send("GET", "/v1/admin/audit?action=sighting.remove", token: admin)
            #expect(audit.html.contains(id))
        }
    }
}

extension RunningService.Answer {
    fileprivate var html: String { String(decoding: body, as: UTF8.self) }
}

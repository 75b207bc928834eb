import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Mails of invitations")
struct InvitationMailTests {
    @Test("Verified organisations invite by mail, over HTTP and on the page; others do not")
    func invitations() async throws {
        let (board, box) = (try await TestDatabase(), Mailbox())
        let store = OrganisationStore(board.database)
        // Without mail, registrations need no confirmation.
        var made: (token: String, path: String)?
        try await RunningService.with(board: board, hasModel: false) { service in
            let shelter = try await OrganisationRoutesTests.make(service)
            let body = #"{"name": "Canile {link}"}"#
            #expect(try await service.send("PATCH", shelter.path, body, token: shelter.token).status == 200)
            made = shelter
        }
        let (token, organisation) = try #require(made)
        let id = try #require(UUID(uuidString: String(organisation.suffix(36))))
        try await RunningService.with(board: board, hasModel: false, mailer: box.mailer) { service in
            let path = "\(organisation)/invitations"
            func invite(_ name: String) async throws {
                let answer = try await service.send(
                    "POST", path, #"{"email": "\#(name)@example.org"}"#, token: token,
                    headers: ["Accept-Language": "it"])
                #expect(answer.status == 201)
            }
            try await invite("early")
            try await store.setVerified(true, id: id, note: nil, by: .commandLine)
            try await invite("bruno")
            // The one that was sent before the verification has caused no mail.
            let mail = try await box.next()
            #expect(mail.to == "bruno@example.org" && mail.subject == "Canile {link} ti invita")
            #expect(mail.text.contains("https://dogs.example.org/account/organisations"))
            let form = ["Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"]
            let sent = try await service.send(
                "POST", "/account/organisations/\(id.lowercased)",
                bytes: Data("action=invite&role=volunteer&email=carla%40example.org".utf8), token, form,
                isFollowing: false)
            #expect(sent.status == 303)
            let other = try await box.next()
            #expect(other.to == "carla@example.org" && other.subject == "Canile {link} invites you")
        }
    }
}

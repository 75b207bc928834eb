import Concurrency
import Domain
import Foundation
import HTTP
import Photos
import SQL
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

/// A form as browsers and `curl -F` send it.
struct SentForm {
    let body: Data
    let headers: [String: String]

    init(_ fields: [String: String], photos: [Data] = [], name: String = "photo") {
        let boundary = "----\(UUID().uuidString)"
        var body = Data()
        for (name, value) in fields {
            body += Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        for photo in photos {
            let head = "Content-Disposition: form-data; name=\"\(name)\"; filename=\"x.png\"\r\nContent-Type: image/png"
            body += Data("--\(boundary)\r\n\(head)\r\n\r\n".utf8) + photo + Data("\r\n".utf8)
        }
        self.body = body + Data("--\(boundary)--\r\n".utf8)
        headers = [
            "Content-Type": "multipart/form-data; boundary=\(boundary)", "Sec-Fetch-Site": "same-origin",
        ]
    }
}

extension RunningService {
    fileprivate func post(
        _ path: String,
        _ form: SentForm,
        _ token: String?,
        key: String? = nil
    ) async throws -> Answer {
        let headers = form.headers.merging(key.map { ["Idempotency-Key": $0] } ?? [:]) { $1 }
        return try await send("POST", path, bytes: form.body, token, headers)
    }

    fileprivate func file(_ path: String, _ token: String?) async throws -> Answer {
        try await send("GET", path.replacing("https://dogs.example.org", with: ""), token: token)
    }
}

@Suite("Photos of sightings and messages")
struct AttachedPhotoTests {
    private static let listing = #"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}"#
    private static let seen = ["lon": "14.801357", "lat": "40.781357", "text": "By the river"]

    /// These tests send the same words more often than the limits allow.
    private static let unlimited = RateLimits(factor: 0, proxies: .none)

    private static func photo(width: Int = 40) throws -> Data { Data(try plainPNG(width: width, height: 30)) }

    @Test("Exactly those who see a sighting see its photo, in each state of it")
    func privacyOfSightings() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, author, other) = (
                try await service.guest(), try await service.guest(), try await service.guest()
            )
            let admin = try await service.admin()
            let id = try await service.post(Self.listing, owner)
            let path = "/v1/listings/\(id)/sightings"
            let sent = try await service.post(path, SentForm(Self.seen, photos: [try Self.photo()]), author)
            #expect(sent.status == 201 && sent["photo", "width"] == .number(40) && sent["lon"] == .number(14.801357))
            let (sighting, url) = (try #require(sent.text("id")), try #require(sent.text("photo", "url")))
            let readers = [nil, other, admin, author, owner]
            for (state, statuses) in [
                ("proposed", [404, 404, 404, 200, 200]), ("confirmed", [200, 200, 200, 200, 200]),
                ("dismissed", [404, 404, 404, 200, 200]),
            ] {
                try await service.send("PATCH", "\(path)/\(sighting)", #"{"state": "\#(state)"}"#, token: owner)
                for size in ["url", "medium", "thumbnail"] {
                    for (reader, status) in zip(readers, statuses) {
                        let file = try await service.file(try #require(sent.text("photo", size)), reader)
                        #expect(file.status == status, "\(state)")
                        guard status == 200 else { continue }
                        #expect(file.body.prefix(3) == Data([0xFF, 0xD8, 0xFF]))
                        let caching = state == "confirmed" ? "private, no-cache" : "private, no-store"
                        #expect(file.headers["cache-control"] == caching && file.headers["vary"] != nil)
                    }
                }
                let list = try await service.send("GET", path)
                #expect((list["sightings", "0", "photo", "url"] != nil) == (state == "confirmed"))
                let page = try await service.send("GET", "/listings/\(id)", headers: ["Accept": "text/html"])
                let name = String(url.suffix(45).prefix(36))
                #expect(String(decoding: page.body, as: UTF8.self).contains(name) == (state == "confirmed"))
            }
            // A moderator sees a reported one until the report is decided.
            let report = #"{"subject": "sighting", "id": "\#(sighting)", "reason": "abuse"}"#
            #expect(try await service.send("POST", "/v1/reports", report, token: owner).status == 202)
            #expect(try await service.file(url, admin).status == 200)
            #expect(try await service.file(url, other).status == 404)
            let cases = try await service.send("GET", "/v1/admin/reports", token: admin)
            #expect(cases.text("reports", "0", "photo", "url") == url)
            // Hiding the listing takes away its sightings; banning the author, what strangers and the owner see.
            try await service.send("PATCH", "\(path)/\(sighting)", #"{"state": "confirmed"}"#, token: owner)
            try await service.send("POST", "/v1/admin/listings/\(id)/hide", #"{"reason": "spam"}"#, token: admin)
            for (reader, status) in zip(readers, [404, 404, 200, 404, 200]) {
                #expect(try await service.file(url, reader).status == status)
            }
            try await service.send("POST", "/v1/admin/listings/\(id)/restore", "{}", token: admin)
            let account = try #require(try await service.send("GET", "/v1/me", token: author).text("id"))
            try await service.send("POST", "/v1/admin/accounts/\(account)/ban", #"{"reason": "spam"}"#, token: admin)
            for (reader, status) in zip(readers, [404, 404, 404, 403, 404]) {
                #expect(try await service.file(url, reader).status == status)
            }
        }
    }

    @Test("The photo and the place of a message are for its two parties, and those of a blocked one for its sender")
    func privacyOfMessages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer, other) = (
                try await service.guest(), try await service.guest(), try await service.guest()
            )
            let admin = try await service.admin()
            let id = try await service.post(Self.listing, owner)
            let path = "/v1/listings/\(id)/messages"
            let sent = try await service.post(path, SentForm(Self.seen, photos: [try Self.photo()]), writer)
            #expect(sent.status == 201 && sent["lon"] == .number(14.801357) && sent.text("place") != nil)
            let url = try #require(sent.text("photo", "url"))
            for (reader, status) in zip([nil, other, admin, writer, owner], [404, 404, 404, 200, 200]) {
                let file = try await service.file(url, reader)
                #expect(file.status == status)
                #expect(status == 404 || file.headers["cache-control"] == "private, no-store")
            }
            let conversation = try #require(sent.text("conversation"))
            let own = "/v1/me/conversations/\(conversation)"
            let shown = try await service.send("GET", own, token: owner)
            #expect(shown.text("messages", "0", "photo", "url") == url)
            #expect(shown["messages", "0", "lat"] == .number(40.781357))
            let page = try await service.send(
                "GET",
                "/inbox/\(conversation)",
                token: owner,
                headers: ["Accept": "text/html"]
            )
            let html = String(decoding: page.body, as: UTF8.self)
            #expect(html.contains("geo:40.781357,14.801357") && html.contains("-320.jpg"))
            let report = #"{"subject": "message", "id": "\#(try #require(sent.text("id")))", "reason": "abuse"}"#
            #expect(try await service.send("POST", "/v1/reports", report, token: owner).status == 202)
            #expect(try await service.file(url, admin).status == 200)
            let photo = String(url.suffix(45).prefix(36))
            let remove = "/v1/admin/photos/\(photo)/remove"
            #expect(try await service.send("POST", remove, #"{"reason": "abuse"}"#, token: admin).status == 204)
            #expect(try await service.file(url, writer).status == 404 && service.photoFiles() == 0)
            let again = try await service.send("GET", own, token: owner)
            #expect(again["messages", "0", "photo"] == .null && again.text("messages", "0", "text") == "By the river")
            try await service.send("POST", "/v1/me/blocks", #"{"conversation": "\#(conversation)"}"#, token: owner)
            let late = try await service.post(
                "\(own)/messages",
                SentForm(Self.seen, photos: [try Self.photo()]),
                writer
            )
            #expect(late.status == 201)
            for (reader, status) in zip([owner, writer, admin], [404, 200, 404]) {
                #expect(try await service.file(try #require(late.text("photo", "url")), reader).status == status)
            }
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test(
        "A refused photo refuses the whole request, with a reason, and leaves nothing behind",
        arguments: [
            ("<svg onload='alert(1)'/>", 415), ("GIF89a", 415), ("\u{FF}", 415), ("#!/bin/sh\nrm -rf ~", 415),
        ]
    )
    func refusals(content: String, status: Int) async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            for kind in ["sightings", "messages"] {
                let path = "/v1/listings/\(id)/\(kind)"
                let bad = SentForm(Self.seen, photos: [Data(content.utf8)])
                #expect(try await service.post(path, bad, writer).status == status)
                let cut = SentForm(Self.seen, photos: [try Self.photo().prefix(50)])
                #expect(try await service.post(path, cut, writer).status == 400)
                let huge = SentForm(Self.seen, photos: [Data(count: PhotoProcessor.maxFileSize + 1)])
                #expect(try await service.post(path, huge, writer).status == 413)
                let two = SentForm(Self.seen, photos: [try Self.photo(), try Self.photo()])
                #expect(try await service.post(path, two, writer).status == 400)
                for fields in [
                    ["text": "x", "photo": "no file"], ["text": "x", "lon": "14.8"], ["text": "x", "else": "y"],
                    ["text": "x", "lon": "east", "lat": "1"], ["text": "x", "lon": "1e9", "lat": "1"],
                ] {
                    let form = SentForm(fields, photos: [try Self.photo()])
                    #expect(try await service.post(path, form, writer).status == 400, "\(fields)")
                }
            }
            let form = SentForm(["text": "By the river", "place": "Fisciano"], photos: [Data(content.utf8)])
            for page in ["/listings/\(id)/sighting", "/listings/\(id)/write"] {
                let answer = try await service.post(page, form, nil)
                #expect(answer.status == 400 && String(decoding: answer.body, as: UTF8.self).contains("By the river"))
            }
            let rows = try await service.board.database.read { db in
                try db.value("SELECT (SELECT count(*) FROM sighting) + (SELECT count(*) FROM message)") as Int?
            }
            #expect(try rows == 0 && service.photoFiles() == 0)
        }
    }

    @Test("A file that is a photo and something else is stored as pixels alone")
    func polyglot() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let file = try Self.photo() + Data("<script>alert(1)</script>PK\u{3}\u{4}".utf8)
            let sent = try await service.post(
                "/v1/listings/\(id)/sightings",
                SentForm(Self.seen, photos: [file]),
                writer
            )
            #expect(sent.status == 201)
            let stored = try await service.file(try #require(sent.text("photo", "url")), writer)
            #expect(stored.headers["content-type"] == "image/jpeg")
            #expect(stored.headers["x-content-type-options"] == "nosniff")
            #expect(stored.body.range(of: Data("<script>".utf8)) == nil)
        }
    }

    @Test("A request that is sent many times at once stores one photo, and one with another photo is refused")
    func repetitions() async throws {
        try await RunningService.with(hasModel: false, limits: Self.unlimited) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            for (kind, files) in [("sightings", 4), ("messages", 8)] {
                let (path, key) = ("/v1/listings/\(id)/\(kind)", UUID().uuidString)
                let form = SentForm(Self.seen, photos: [try Self.photo()])
                let answers = try await withThrowingTaskGroup(of: RunningService.Answer.self) { group in
                    for _ in 0..<8 { group.addTask { try await service.post(path, form, writer, key: key) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.allSatisfy { $0.status == 201 })
                #expect(answers.count { $0.headers["idempotency-replayed"] == "true" } == 7)
                #expect(Set(answers.compactMap { $0.text("photo", "url") }).count == 1)
                #expect(try service.photoFiles() == files)
                let changed = SentForm(Self.seen, photos: [try Self.photo(width: 50)])
                #expect(try await service.post(path, changed, writer, key: key).status == 422)
                #expect(try await service.post(path, SentForm(Self.seen), writer, key: key).status == 422)
                #expect(try service.photoFiles() == files)
            }
            let left = try await service.board.database.read {
                try $0.value("SELECT count(*) FROM photo_leftover") as Int?
            }
            #expect(left == 0)
        }
    }

    @Test("Files are deleted with the listing, the conversation and the account, and exported before")
    func lifetime() async throws {
        try await RunningService.with(hasModel: false, limits: Self.unlimited) { service in
            let (owner, writer) = (try await service.guest(), try await service.register("bruno@example.org"))
            func fill() async throws -> (listing: String, conversation: String) {
                let id = try await service.post(Self.listing, owner)
                for kind in ["sightings", "messages"] {
                    let form = SentForm(Self.seen, photos: [try Self.photo()])
                    #expect(try await service.post("/v1/listings/\(id)/\(kind)", form, writer).status == 201)
                }
                let inbox = try await service.send("GET", "/v1/me/conversations", token: writer)
                return (id, try #require(inbox.text("conversations", "0", "id")))
            }
            let first = try await fill()
            #expect(try service.photoFiles() == 8)
            for token in [owner, writer] {
                let export = try await service.send("GET", "/v1/me/export", token: token).body
                for name in ["photos/sighting-", "photos/message-"] {
                    #expect(export.range(of: Data(name.utf8)) != nil, "\(name)")
                }
                let own = "/v1/me/conversations/\(first.conversation)"
                #expect(try await service.send("DELETE", own, token: token).status == 204)
            }
            try await service.sweep()
            #expect(try service.photoFiles() == 4)
            try await service.send("DELETE", "/v1/listings/\(first.listing)", token: owner)
            #expect(try service.photoFiles() == 0)
            _ = try await fill()
            #expect(try await service.send("DELETE", "/v1/me", token: writer).status == 204)
            try await service.sweep()
            #expect(try service.photoFiles() == 0)
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test("An attached listing lends its first photo to the sighting")
    func attached() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, author) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let seen = try await service.post(#"{"status": "sighted", "lon": 14.8, "lat": 40.8}"#, author)
            let photo = try await service.send("PUT", "/v1/listings/\(seen)/photos/2", bytes: try Self.photo(), author)
            let path = "/v1/listings/\(id)/sightings"
            let attached = try await service.send("POST", path, #"{"listing": "\#(seen)"}"#, token: owner)
            #expect(attached["photo", "url"] == photo["url"] && attached["photo", "url"] != nil)
            let form = SentForm(["listing": seen], photos: [try Self.photo()])
            #expect(try await service.post(path, form, owner).status == 400)
        }
    }

    @Test("The bytes of photos count towards a limit for each account, and refused ones do not")
    func limits() async throws {
        let limits = MessageLimits(RateLimits(factor: 1, proxies: .none), LocalLimitCounters())
        func account(_ key: Int64) -> Account {
            Account(
                key: key,
                id: UUID(),
                role: .guest,
                email: nil,
                profile: Profile(),
                disabled: false,
                createdAt: .now
            )
        }
        let client = try #require(NetworkAddress("192.0.2.1"))
        func take(_ bytes: Int, by key: Int64) async throws {
            try await limits.take("\(UUID())", photoBytes: bytes, begins: false, by: account(key), from: client)
        }
        try await take(19_000_000, by: 1)
        await #expect(throws: RateLimitExceededError.self) { try await take(2_000_000, by: 1) }
        try await take(900_000, by: 1)
        for key in 2...4 { try await take(19_000_000, by: Int64(key)) }
        await #expect(throws: RateLimitExceededError.self) { try await take(10_000_000, by: 5) }
    }
}

extension RunningService {
    /// Removes the files of deleted photos, as the periodic job does.
    fileprivate func sweep() async throws {
        let folder = PhotoFolder(data: board.folder.url)
        try await PhotoStore(board.database).sweep { await folder.remove($0) }
    }
}

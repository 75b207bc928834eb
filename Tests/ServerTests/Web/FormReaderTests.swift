import Domain
import Forms
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Photos
import Server
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Form reader")
struct FormReaderTests {
    private static let multipart = "multipart/form-data; boundary=X-y"

    /// A form with a text field and photos, in small pieces.
    private static func request(photos: [Data], end: String = "--X-y--") -> Request {
        var body = Data("--X-y\r\nContent-Disposition: form-data; name=status\r\n\r\nlost\r\n".utf8)
        for photo in photos {
            body += Data("--X-y\r\nContent-Disposition: form-data; name=photo; filename=a.png\r\n\r\n".utf8)
            body += photo + Data("\r\n".utf8)
        }
        body += Data("--X-y\r\nContent-Disposition: form-data; name=photo; filename=\"\"\r\n\r\n\r\n\(end)".utf8)
        return request(body, type: multipart)
    }

    private static func request(_ body: Data, type: String) -> Request {
        let pieces = stride(from: 0, to: body.count, by: 1000).map {
            ByteBuffer(bytes: body[$0..<min($0 + 1000, body.count)])
        }
        let stream = AsyncStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
        let head = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: "localhost",
            path: "/",
            headerFields: [.contentType: type]
        )
        return Request(head: head, body: RequestBody(asyncSequence: stream))
    }

    @Test("Forms that never arrive do not keep others waiting")
    func unfinished() async throws {
        try await RunningService.with(hasModel: false) { service in
            let head =
                "POST /post HTTP/1.1\r\nHost: dogs.example.org\r\nOrigin: https://dogs.example.org\r\n"
                + "Content-Type: \(Self.multipart)\r\n"
            let answer = try await service.exchange(
                head + "Content-Length: 9\r\nConnection: close\r\n\r\n--X-y--\r\n",
                besides: 100,
                sending: head + "Content-Length: 100000\r\nExpect: 100-continue\r\n\r\n"
            )
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test("Photos in a form are decoded as they arrive and are stored with the listing")
    func photos() async throws {
        try await RunningService.with { service in
            let photoService = try PhotoService(over: service.board, model: nil)
            let photos = [Data(try plainPNG(width: 60, height: 40)), Data(try plainPNG(width: 30, height: 20))]
            let form = try await FormReader(photos: photoService).read(Self.request(photos: photos))
            #expect(form.fields.first("status") == "lost")
            #expect(try form.photos().map { $0.jpegs[0].width } == [60, 30])
            #expect(try service.photoFiles() == 0)

            let token = try await service.guest()
            let id = try await service.post(#"{"status": "lost", "lon": 12.48, "lat": 41.89}"#, token)
            let uuid = try #require(UUID(uuidString: id))
            let listing = try #require(try await service.board.listings.findListing(id: uuid))
            for (number, photo) in try form.photos().enumerated() {
                let receipt = try await photoService.store(photo, .listing(listing.key, number: number + 1), .english)
                #expect(receipt.isNew)
            }
            #expect(try service.photoFiles() == 8)
            let shown = try await service.send("GET", "/v1/listings/\(id)")
            #expect(shown["properties", "photos", "1", "width"] == .number(30))
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test("A form without photos is accepted in both encodings")
    func encodings() async throws {
        let board = try await TestDatabase()
        defer { withExtendedLifetime(board) {} }
        let photoService = FormReader(photos: try PhotoService(over: board, model: nil))
        let form = try await photoService.read(
            Self.request(
                Data("status=lost&name=B%C3%A9".utf8),
                type: "Application/X-WWW-Form-URLencoded; charset=utf-8"
            )
        )
        #expect(try form.fields.names == ["status", "name"] && form.photos().isEmpty)
        #expect(try await photoService.read(Self.request(photos: [])).fields.names == ["status"])
    }

    @Test("A guest must confirm signing out if their listings would become uneditable")
    func signOut() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            _ = try await service.post(#"{"status": "lost", "place": "Salerno"}"#, token)
            func send(_ method: String, _ path: String, _ form: String? = nil) async throws -> RunningService.Answer {
                var headers = [
                    "Cookie": "__Host-doggofinder=\(token)", "Sec-Fetch-Site": "same-origin", "Accept": "text/html",
                ]
                if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
                return try await service.send(
                    method,
                    path,
                    bytes: form.map { Data($0.utf8) },
                    nil,
                    headers,
                    isFollowing: false
                )
            }
            func shows(_ answer: RunningService.Answer, _ text: String) -> Bool {
                answer.status == 200 && String(decoding: answer.body, as: UTF8.self).contains(text)
            }
            for link in ["/account/export\"", "/account/delete\""] {
                #expect(shows(try await send("GET", "/account"), link))
            }
            #expect(shows(try await send("GET", "/account/delete"), "confirmed"))
            let question = try await send("POST", "/account/sign-out", "x=y")
            #expect(shows(question, "name=\"sure\"") && shows(question, "/account/delete\""))
            #expect(try await service.send("GET", "/v1/me", token: token).status == 200)
            #expect(try await send("POST", "/account/sign-out", "sure=yes").status == 303)
            #expect(try await service.send("GET", "/v1/me", token: token).status == 401)

            let user = try await service.register("anna@example.org")
            let answer = try await service.send(
                "POST",
                "/account/sign-out",
                bytes: Data(),
                nil,
                ["Cookie": "__Host-doggofinder=\(user)", "Sec-Fetch-Site": "same-origin", "Accept": "text/html"],
                isFollowing: false
            )
            #expect(answer.status == 303)
        }
    }

    @Test("All data of a guest are deleted after a confirmation")
    func deletion() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(#"{"status": "lost", "place": "Salerno"}"#, token)
            let answer = try await service.send(
                "POST",
                "/account/delete",
                bytes: Data("confirmed=yes".utf8),
                nil,
                [
                    "Cookie": "__Host-doggofinder=\(token)", "Sec-Fetch-Site": "same-origin", "Accept": "text/html",
                    "Content-Type": "application/x-www-form-urlencoded",
                ],
                isFollowing: false
            )
            #expect(answer.status == 303)
            #expect(try await service.send("GET", "/v1/listings/\(id)").status == 404)
        }
    }

    @Test("Invalid, too large, too many and truncated photos and bodies that are not forms are rejected")
    func invalidForms() async throws {
        let board = try await TestDatabase()
        defer { withExtendedLifetime(board) {} }
        let photoService = FormReader(photos: try PhotoService(over: board, model: nil))
        let photo = Data(try plainPNG(width: 8, height: 8))
        let cases: [(Request, ServiceError.Code)] = [
            (Self.request(photos: [photo, Data("<svg/>".utf8)]), .unsupportedMediaType),
            (Self.request(photos: [Data()]), .invalid), (Self.request(photos: [photo.prefix(50)]), .invalid),
            (Self.request(photos: [Data(count: PhotoProcessor.maxFileSize + 1)]), .tooLarge),
            (Self.request(photos: Array(repeating: photo, count: 7)), .invalid),
            (Self.request(photos: [photo], end: ""), .invalid), (Self.request(Data(), type: Self.multipart), .invalid),
            (Self.request(Data("{}".utf8), type: "application/json"), .unsupportedMediaType),
        ]
        for (number, (request, code)) in cases.enumerated() {
            let error = await #expect(throws: ServiceError.self, "case \(number)") {
                try await photoService.read(request).photos()
            }
            #expect(error?.code == code, "case \(number)")
        }
    }

    @Test("A photo that cannot be read does not lose the other fields")
    func keptFields() async throws {
        let board = try await TestDatabase()
        defer { withExtendedLifetime(board) {} }
        let reader = FormReader(photos: try PhotoService(over: board, model: nil))
        let photo = Data(try plainPNG(width: 8, height: 8))
        let end = "--X-y\r\nContent-Disposition: form-data; name=name\r\n\r\nArgo\r\n--X-y--"
        for photos in [[Data("no photo".utf8)], [photo.prefix(50), photo], Array(repeating: photo, count: 9)] {
            let form = try await reader.read(Self.request(photos: photos, end: end))
            #expect(form.fields.first("status") == "lost" && form.fields.first("name") == "Argo")
            #expect(throws: ServiceError.self) { try form.photos() }
        }
    }
}

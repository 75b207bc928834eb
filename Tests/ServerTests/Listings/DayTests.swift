import Foundation
import ServerSupport
import TestSupport
import Testing

/// A day without a time is told as a day everywhere.
@Suite("Days without a time")
struct DayTests {
    private static let day = #"{"status": "lost", "name": "Argo", "place": "Fisciano", "last_seen_at": "2026-11-12"}"#

    @Test("A day is noon at the place, stays a day when other fields change, and ends with a time")
    func api() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.day, token)
            func seen(_ patch: String) async throws -> [String?] {
                let answer = try await service.send("PATCH", "/v1/listings/\(id)", patch, token: token)
                let board = try await service.send("GET", "/v1/listings").features.first
                let properties = try #require(board?["properties"])
                #expect(properties["last_seen_precision"]?.text == answer.text("properties", "last_seen_precision"))
                return [answer.text("properties", "last_seen_at"), answer.text("properties", "last_seen_precision")]
            }
            #expect(try await seen(#"{"colour": "black"}"#) == ["2026-11-12T11:00:00.000Z", "day"])
            let csv = try await service.send("GET", "/v1/listings.csv")
            #expect(String(decoding: csv.body, as: UTF8.self).contains(",2026-11-12,"))
            let time = "2026-11-12T00:00:00.000Z"
            #expect(try await seen(#"{"last_seen_at": "\#(time)"}"#) == [time, nil])
            let future = #"{"status": "lost", "place": "Fisciano", "last_seen_at": "2999-01-01"}"#
            let refused = try await service.send("POST", "/v1/listings", future, token: token)
            #expect(refused.status == 400 && refused.text("field") == "last_seen_at")
        }
    }

    @Test("Pages show no hour, and the form asks for none")
    func pages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.day, token)
            let page = try await service.send(
                "GET", "/listings/\(id)?lang=it", token: token, headers: ["Accept": "text/html"])
            let html = String(decoding: page.body, as: UTF8.self)
            #expect(html.contains(#"<time datetime="2026-11-12">12 novembre 2026</time>"#))
            #expect(!html.contains("12 novembre 2026 alle"))
            let form = try await service.send(
                "GET", "/listings/\(id)/edit", token: token, headers: ["Accept": "text/html"])
            let input = #"type="date" name="last_seen_at" value="2026-11-12""#
            #expect(String(decoding: form.body, as: UTF8.self).contains(input))
        }
    }
}

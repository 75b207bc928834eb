import Domain
import Foundation
import OpenAPI
import ServerSupport
import Testing

@testable import Server

@Suite("API reference page")
struct APIReferencePageTests {
    private static func page(_ service: RunningService, _ language: Language = .english) async throws -> String {
        let answer = try await service.send("GET", "/api?lang=\(language.rawValue)")
        #expect(answer.status == 200)
        return String(decoding: answer.body, as: UTF8.self)
    }

    private static func plain(_ html: some StringProtocol) -> String {
        String(html).replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&lt;", with: "<")
            .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }

    @Test("The page shows the whole document", arguments: Language.allCases)
    func everyOperation(language: Language) async throws {
        try await RunningService.with(hasModel: false) { service in
            let html = try await Self.page(service, language)
            #expect(html.contains("<html lang=\"\(language.rawValue)\""))
            for operation in Operation.all {
                #expect(html.contains("<details id=\"\(operation.id)\">"), "\(operation.id)")
                #expect(html.contains("<code>\(operation.method) \(operation.path)</code>"), "\(operation.id)")
            }
            #expect(html.contains("href=\"/openapi.json\""))
        }
    }

    @Test("The page begins with listings, and ends with what admins do")
    func order() async throws {
        try await RunningService.with(hasModel: false) { service in
            let html = try await Self.page(service)
            let names = html.matches(of: #/<section aria-labelledby="(\w+)">/#).map { String($0.1) }
            #expect(names.prefix(4) == ["start", "errors", "listings", "places"] && names.last == "moderation")
            #expect(Set(names.dropFirst(2)) == Set(OpenAPI.Operation.Tag.allCases.map(\.rawValue)))
        }
    }

    @Test("Common errors are told once, and operations name those that not all operations have")
    func errors() async throws {
        try await RunningService.with(hasModel: false) { service in
            let html = Self.plain(try await Self.page(service)).replacing(#/<\/?code>/#, with: "`")
            for error in ErrorResponse.allCases {
                #expect(html.split(separator: error.description).count == 2, "\(error)")
                #expect(html.contains("<tr id=\"error-\(error.rawValue)\">"))
            }
            for operation in Operation.all {
                let start = try #require(html.range(of: "<details id=\"\(operation.id)\">")).upperBound
                let part = html[start...].split(separator: "</details>", maxSplits: 1).first ?? ""
                let linked = part.matches(of: #/href="#error-(\d+)"/#).compactMap { Int($0.1) }
                let own = operation.responses.filter { answer in
                    answer.status >= 400 && !ErrorResponse.always.contains { $0.rawValue == answer.status }
                }
                #expect(linked == own.map(\.status), "\(operation.id)")
            }
        }
    }

    /// The members of answers that differ from one service to another.
    private static let changing = ["id", "code", "last_seen_at", "created_at", "updated_at"]

    private static func withoutChanging(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { name, member in
                        (name, changing.contains(name) ? .string(name) : withoutChanging(member))
                    }
                )
            )
        case .array(let items): .array(items.map(withoutChanging))
        default: value
        }
    }

    @Test("The first call answers with what the page shows, on a board with the listing of the next example")
    func firstCall() async throws {
        try await RunningService.with(hasModel: false, baseURL: "https://dogs.example.org/here") { service in
            let post = try #require(Operation.all.first { $0.id == "postListing" }?.body?.content.first?.example)
            _ = try await service.post(
                String(decoding: JSONEncoder().encode(post), as: UTF8.self), try await service.guest())
            let blocks = try await Self.page(service).matches(
                of: #/<pre[^>]*><code>(.*?)<\/code><\/pre>/#.dotMatchesNewlines()
            )
            .prefix(3).map { Self.plain($0.1) }
            let address = try #require(blocks[0].firstMatch(of: #/^curl "https://dogs.example.org/here(/.*)"$/#)).1
            let answer = try await service.send("GET", String(address))
            let shown = try JSONDecoder().decode(JSONValue.self, from: Data(blocks[1].utf8))
            #expect(answer.status == 200)
            #expect(
                Self.withoutChanging(shown) == Self.withoutChanging(answer.json),
                "\(String(decoding: answer.body, as: UTF8.self))")
            // The second command takes the token from this answer.
            #expect(blocks[2].contains(#"curl -s -X POST "https://dogs.example.org/here/v1/guests""#))
            let guest = try await service.send("POST", "/v1/guests")
            #expect(String(decoding: guest.body, as: UTF8.self).contains(#/"token":"[^"]+"/#))
        }
    }
}

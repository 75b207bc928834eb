import Domain
import Foundation
import OutgoingHTTP

/// Mastodon's API, https://docs.joinmastodon.org/methods/statuses/.
struct MastodonClient: SocialClient {
    /// That of a server which does not set another. Links count as 23 characters there; here they count as they are.
    private static let maxStatus = 500
    private static let maxPhotoDescription = 1_500
    /// The number of times that the server is asked whether it has processed a photo, and the pause between.
    private static let (maxPolls, pollPause) = (10, Duration.seconds(1))

    let requests: SocialRequests
    let server: String
    let token: String

    private struct Account: Decodable {
        let acct: String
    }

    private struct Media: Decodable {
        let id: String
    }

    private struct Status: Decodable {
        let id: String
        let mediaAttachments: [Media]?
    }

    func verify() async throws -> String {
        let account: Account = try await call("/api/v1/accounts/verify_credentials", .get)
        let host = server.replacing("https://", with: "")
        return "@\(account.acct)@\(host)"
    }

    func post(_ content: SocialContent, _ photo: SocialContent.Photo?, key: String) async throws -> String {
        var fields = Self.fields(content)
        if let photo { fields["media_ids"] = [.string(try await upload(photo))] }
        fields["visibility"] = "public"
        let status: Status = try await call(
            "/api/v1/statuses",
            .post,
            try .json(fields),
            headers: [(name: "Idempotency-Key", value: key)]
        )
        return try Self.checked(status.id)
    }

    func edit(_ id: String, _ content: SocialContent, hasPhoto: Bool) async throws {
        var fields = Self.fields(content)
        if hasPhoto {
            // A change without them would remove the photo.
            let status: Status = try await call("/api/v1/statuses/\(try Self.checked(id))", .get)
            fields["media_ids"] = .array((status.mediaAttachments ?? []).prefix(4).map { .string($0.id) })
        }
        let _: Status = try await call("/api/v1/statuses/\(try Self.checked(id))", .put, try .json(fields))
    }

    func delete(_ id: String, orShow words: String, hasPhoto: Bool) async throws {
        let _: Status = try await call("/api/v1/statuses/\(try Self.checked(id))", .delete)
    }

    private static func fields(_ content: SocialContent) -> [String: JSONValue] {
        [
            "status": .string(content.text(atMost: maxStatus, \.unicodeScalars.count)),
            "language": .string(content.language.rawValue),
        ]
    }

    /// Returns the id of a photo that the server has processed.
    private func upload(_ photo: SocialContent.Photo) async throws -> String {
        let description = String(photo.description.prefix(Self.maxPhotoDescription))
        let answer = try await send(
            "/api/v2/media",
            .post,
            .form([(name: "description", value: description)], "file", jpeg: photo.jpeg)
        )
        let id = try Self.checked(try SocialRequests.read(Media.self, from: answer).id)
        guard answer.status == 202 else { return id }
        for _ in 0..<Self.maxPolls {
            try await Task.sleep(for: Self.pollPause)
            if try await send("/api/v1/media/\(id)", .get).status == 200 { return id }
        }
        throw SocialFailure.busy(seconds: nil)
    }

    /// An id becomes a part of a path.
    private static func checked(_ id: String) throws(SocialFailure) -> String {
        guard Base64URL.isText(id, count: 1...100) else { throw .rejected }
        return id
    }

    // MARK: - Calls

    private func call<Result: Decodable>(
        _ path: String,
        _ method: OutgoingRequest.Method,
        _ body: SocialRequests.Body? = nil,
        headers: [(name: String, value: String)] = []
    ) async throws -> Result {
        try SocialRequests.read(Result.self, from: try await send(path, method, body, headers: headers))
    }

    private func send(
        _ path: String,
        _ method: OutgoingRequest.Method,
        _ body: SocialRequests.Body? = nil,
        headers: [(name: String, value: String)] = []
    ) async throws -> OutgoingAnswer {
        let authorization = (name: "Authorization", value: "Bearer \(token)")
        let answer = try await requests.send(server + path, method, body, headers: headers + [authorization])
        switch answer.status {
        case 200...299: return answer
        case 401, 403: throw SocialFailure.refused(.token)
        case 404, 410: throw SocialFailure.gone
        case 429: throw SocialFailure.busy(seconds: wait(answer))
        case 500...: throw SocialFailure.busy(seconds: answer.retryAfter(now: seconds))
        default: throw SocialFailure.rejected
        }
    }

    private var seconds: Double { Double(requests.now().milliseconds) / 1000 }

    /// The seconds until the limit of the server begins anew.
    private func wait(_ answer: OutgoingAnswer) -> Int? {
        if let asked = answer.retryAfter(now: seconds) { return asked }
        guard let text = answer.header("X-RateLimit-Reset"), let reset = Self.time(text) else { return nil }
        return max(1, Int((reset.timeIntervalSince1970 - seconds).rounded(.up)))
    }

    /// Reads a time with or without fractions of a second.
    private static func time(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601.time(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: .iso8601))
    }
}

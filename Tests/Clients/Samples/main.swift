import Foundation
import OutgoingHTTP
import WebPush
import Webhooks

// Encrypts and signs what other implementations check: reads one JSON object for each line, and prints one with the
// headers and the body in base64. See outgoing.py.

struct Job: Decodable {
    /// Nil for a webhook.
    var endpoint: String?
    var p256dh: String?
    var auth: String?
    var id: String?
    var secrets: [String]?
    let payload: String
}

struct Result: Encodable {
    let headers: [String: String]
    let body: String
}

let key = VAPIDKey()

func push(_ job: Job, _ now: Double) throws -> OutgoingRequest {
    let subscription = try PushSubscription(
        endpoint: job.endpoint ?? "",
        p256dh: job.p256dh ?? "",
        auth: job.auth ?? ""
    )
    let authorization = try key.authorization(
        for: subscription.endpoint,
        subject: "mailto:dogs@example.org",
        now: now
    )
    let message = try PushMessage(Array(job.payload.utf8), timeToLive: 60, urgency: .high, topic: "dogs")
    return try message.request(to: subscription, authorization: authorization)
}

while let line = readLine() {
    let job = try JSONDecoder().decode(Job.self, from: Data(line.utf8))
    let now = Date().timeIntervalSince1970
    var body = Array(job.payload.utf8)
    let headers: [(name: String, value: String)]
    if job.endpoint == nil {
        headers = WebhookSignature.headers(
            id: job.id ?? "",
            time: Int(now),
            body: body,
            secrets: try (job.secrets ?? []).map { try WebhookSecret(parsing: $0) }
        )
    } else {
        let request = try push(job, now)
        body = request.body ?? []
        headers = request.headers
    }
    let result = Result(
        headers: Dictionary(headers.map { ($0.name, $0.value) }) { first, _ in first },
        body: Data(body).base64EncodedString()
    )
    print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
}

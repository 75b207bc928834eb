import Cryptography
import Domain
import Foundation
import OutgoingHTTP
import Testing

@testable import WebPush

@Suite("Web Push")
struct WebPushTests {
    /// RFC 8291, appendix A.
    private enum Example {
        static let text = "When I grow up, I want to be a watermelon"
        static let senderKey = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
        static let p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        static let auth = "BTBZMqHH6r4Tts7J_aSIgg"
        static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
        static let body =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
            + "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    }

    private static let endpoint = "https://push.example.org/send/abc"

    private func subscription(
        endpoint: String = endpoint,
        p256dh: String = Example.p256dh,
        auth: String = Example.auth
    ) throws -> PushSubscription {
        try PushSubscription(endpoint: endpoint, p256dh: p256dh, auth: auth)
    }

    @Test("The example of RFC 8291 has exactly its body")
    func example() throws {
        let key = try #require(Base64URL.bytes(Example.senderKey))
        let body = try MessageEncryption.body(
            Array(Example.text.utf8),
            paddedTo: Example.text.utf8.count,
            for: subscription(),
            sender: P256PrivateKey(rawRepresentation: key),
            salt: Data(try #require(Base64URL.bytes(Example.salt)))
        )
        #expect(Base64URL.text(body) == Example.body)
    }

    @Test("Each message has one of two lengths, a salt and a key of its own")
    func lengths() throws {
        var sizes: Set<Int> = []
        var starts: Set<[UInt8]> = []
        let counts = [0, 1, 2_047, 2_048, 2_049, 3_992, 3_993]
        for count in counts {
            let message = try PushMessage([UInt8](repeating: 120, count: count), timeToLive: 60)
            let body = try #require(try message.request(to: subscription(), authorization: "vapid x").body)
            sizes.insert(body.count)
            starts.insert(Array(body.prefix(86)))
        }
        #expect(sizes == [2_151, 4_096] && starts.count == counts.count)
    }

    @Test("The request has the headers of RFC 8030, 8188 and 8292")
    func headers() throws {
        let message = try PushMessage([1], timeToLive: 3_600, urgency: .veryLow, topic: "a_B-9")
        let request = try message.request(to: subscription(), authorization: "vapid t=a.b.c, k=d")
        #expect(request.url.text == Self.endpoint)
        #expect(
            Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) }) == [
                "Content-Type": "application/octet-stream", "Content-Encoding": "aes128gcm", "TTL": "3600",
                "Urgency": "very-low", "Topic": "a_B-9", "Authorization": "vapid t=a.b.c, k=d",
            ]
        )
    }

    @Test("The token names the origin, the end and the operator, and its signature is valid")
    func token() throws {
        let key = VAPIDKey()
        let again = try VAPIDKey(rawRepresentation: key.rawRepresentation)
        #expect(again.publicKey == key.publicKey)
        let value = try again.authorization(for: subscription().endpoint, subject: "mailto:a@example.org", now: 1_000.9)
        let match = try #require(value.wholeMatch(of: /vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)/))
        let parts = try [match.1, match.2, match.3, match.4].map { try #require(Base64URL.bytes(String($0))) }
        #expect(String(decoding: parts[0], as: UTF8.self) == #"{"alg":"ES256","typ":"JWT"}"#)
        #expect(
            String(decoding: parts[1], as: UTF8.self)
                == #"{"aud":"https://push.example.org","exp":44200,"sub":"mailto:a@example.org"}"#
        )
        #expect(parts[2].count == 64 && parts[3].count == 65)
        let publicKey = try P256PublicKey(point: parts[3])
        #expect(publicKey.isValid(Data(parts[2]), for: Data("\(match.1).\(match.2)".utf8)))
        #expect(try #require(Base64URL.bytes(key.publicKey)).count == 65)
    }

    @Test("Keys and subjects are checked")
    func keys() throws {
        for bytes in [[], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 255, count: 32), [1, 2, 3]] {
            #expect(throws: ServiceError.self) { _ = try VAPIDKey(rawRepresentation: bytes) }
        }
        for subject in ["", "a@example.org", "mailto:", "mailto:a", "http://example.org", "https://", "mailto:a@b\nc"] {
            let error = #expect(throws: ServiceError.self, "\(subject)") {
                _ = try VAPIDKey().authorization(for: subscription().endpoint, subject: subject, now: 0)
            }
            #expect(error?.field == "subject")
        }
    }

    @Test("Subjects without a public domain are told, because Apple's push service refuses them")
    func subjects() {
        for good in ["mailto:dogs@example.org", "https://dogs.example.org", "https://example.org:8443/contact"] {
            #expect(VAPIDKey.isAccepted(good), "\(good)")
        }
        for bad in ["https://localhost", "https://127.0.0.1:8080", "mailto:root@localhost", "https://[::1]/"] {
            #expect(!VAPIDKey.isAccepted(bad), "\(bad)")
        }
    }

    @Test("Padded base64url is read too")
    func padding() throws {
        #expect(try subscription(p256dh: Example.p256dh + "=", auth: Example.auth + "==").auth.count == 16)
    }

    @Test(
        "Wrong subscriptions are refused with the name of the field",
        arguments: [
            ("endpoint", "http://push.example.org/"), ("endpoint", ""), ("endpoint", "https://127.0.0.1/"),
            ("endpoint", "https://10.0.0.1/x"), ("endpoint", "https://push.example.org:8443/"),
            ("endpoint", "https://a@push.example.org/"),
            ("endpoint", "https://push.example.org/" + String(repeating: "a", count: 976)),
            ("p256dh", ""), ("p256dh", "AAAA"), ("p256dh", String(Example.p256dh.dropLast())),
            ("p256dh", Example.p256dh + "A"),
            ("p256dh", Example.p256dh.replacing("_", with: "/").replacing("-", with: "+")),
            ("p256dh", "BA" + String(repeating: "A", count: 85)), ("p256dh", "AA" + String(repeating: "A", count: 85)),
            ("p256dh", "A" + Example.p256dh.dropFirst()), ("p256dh", String(Example.p256dh.dropLast(2)) + "A4"),
            ("p256dh", Example.p256dh + "\n"), ("p256dh", String(repeating: "A", count: 1_000_000)),
            ("auth", ""), ("auth", "BTBZMqHH6r4Tts7J_aSI"), ("auth", Example.auth + "AA"),
            ("auth", "BTBZMqHH6r4Tts7J/aSIgg"),
            ("auth", "BTBZMqHH 6r4Tts7J_aSIgg"), ("auth", "BTBZMqHHèr4Tts7J_aSIg"), ("auth", Example.auth + "==="),
        ]
    )
    func wrongSubscriptions(field: String, value: String) {
        let error = #expect(throws: ServiceError.self) {
            switch field {
            case "endpoint": _ = try subscription(endpoint: value)
            case "p256dh": _ = try subscription(p256dh: value)
            default: _ = try subscription(auth: value)
            }
        }
        #expect(error?.field == field && error?.code == .invalid)
    }

    @Test("An endpoint has at most 1,000 bytes")
    func longEndpoint() throws {
        let longest = "https://push.example.org/" + String(repeating: "a", count: 975)
        #expect(try subscription(endpoint: longest).endpoint.text.utf8.count == 1_000)
    }

    @Test("Wrong messages are refused with the name of the field")
    func wrongMessages() {
        let wrong: [(String, () throws -> PushMessage)] = [
            ("payload", { try PushMessage([UInt8](repeating: 0, count: 3_994), timeToLive: 1) }),
            ("timeToLive", { try PushMessage([], timeToLive: -1) }),
            ("timeToLive", { try PushMessage([], timeToLive: 2_419_201) }),
            ("topic", { try PushMessage([], timeToLive: 1, topic: "") }),
            ("topic", { try PushMessage([], timeToLive: 1, topic: "a b") }),
            ("topic", { try PushMessage([], timeToLive: 1, topic: "a\r\nX: y") }),
            ("topic", { try PushMessage([], timeToLive: 1, topic: String(repeating: "a", count: 33)) }),
        ]
        for (field, make) in wrong {
            let error = #expect(throws: ServiceError.self) { _ = try make() }
            #expect(error?.field == field)
        }
    }

    @Test(
        "Answers of push services tell what to do",
        arguments: [
            (200, nil, PushOutcome.accepted), (201, nil, .accepted), (202, nil, .accepted), (404, nil, .gone),
            (410, 5, .gone),
            (413, nil, .tooLarge), (429, 60, .retry(after: 60)), (429, nil, .retry(after: nil)),
            (500, nil, .retry(after: nil)), (503, 1_000_000, .retry(after: 86_400)), (400, nil, .refused(status: 400)),
            (401, nil, .refused(status: 401)), (403, nil, .refused(status: 403)), (307, nil, .refused(status: 307)),
        ] as [(Int, Int?, PushOutcome)]
    )
    func outcomes(status: Int, retryAfter: Int?, outcome: PushOutcome) {
        #expect(PushOutcome(status: status, retryAfter: retryAfter) == outcome)
    }
}

import Foundation
import OutgoingHTTP
import WebPush
import Webhooks

/// What users give for webhooks and push messages.
let outgoingParsers: [Parser] = [
    Parser(
        name: "outgoing address",
        seeds: texts(
            "https://example.org/hook?a=1",
            "https://[2a00:1450:4001:81b::200e]:443/",
            "https://0x8080808/",
            "https://010.8.8.8./"
        ),
        words: [
            "https://", "127.0.0.1", "[::ffff:", "0x7f", "2130706433", "localhost", "%25", "@", "\\", ":443", "xn--",
        ],
        read: { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            let url = try OutgoingURL(text)
            precondition((try? OutgoingURL(url.text)) == url, "\(url.text) is read as something else")
            precondition(url.address.map { OutgoingSettings().refusal(of: $0) == nil } ?? true, "not a public address")
            precondition(
                URL(string: url.text)?.host() == url.host.filter { $0 != "[" && $0 != "]" },
                "other readers see another host"
            )
        }
    ),
    Parser(
        name: "push subscription",
        seeds: texts(
            "https://push.example.org/send/abc\n"
                + "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4\n"
                + "BTBZMqHH6r4Tts7J_aSIgg"
        ),
        words: ["=", "==", "-", "_", "AAAA", "https://"],
        read: { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            let fields = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + ["", "", ""]
            let subscription = try PushSubscription(endpoint: fields[0], p256dh: fields[1], auth: fields[2])
            let request = try PushMessage(Array(bytes.suffix(100)), timeToLive: 1).request(
                to: subscription,
                authorization: "x"
            )
            precondition((request.body?.count ?? 0) <= 4_096, "a message that is too long")
        }
    ),
    Parser(
        name: "webhook secret",
        seeds: texts("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_" + String(repeating: "A", count: 86) + "=="),
        read: { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            let secret = try WebhookSecret(parsing: text)
            precondition((try? WebhookSecret(parsing: secret.text)) == secret, "read as something else")
        }
    ),
]

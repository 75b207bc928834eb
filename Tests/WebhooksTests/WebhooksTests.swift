import Domain
import Testing

@testable import Webhooks

@Suite("Webhooks")
struct WebhooksTests {
    /// The example in the libraries of Standard Webhooks.
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    private func headers(_ secrets: [String]) throws -> [String: String] {
        let list = WebhookSignature.headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            time: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8),
            secrets: try secrets.map { try WebhookSecret(parsing: $0) }
        )
        return Dictionary(uniqueKeysWithValues: list.map { ($0.name, $0.value) })
    }

    @Test("The known message has the known signature")
    func vector() throws {
        #expect(
            try headers([Self.secret]) == [
                "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
                "webhook-signature": Self.signature,
            ]
        )
    }

    @Test("While secrets are changed, there is a signature for each")
    func rotation() throws {
        let other = WebhookSecret().text
        let signatures = try headers([other, Self.secret])["webhook-signature"]?.split(separator: " ") ?? []
        #expect(signatures.count == 2 && String(signatures[1]) == Self.signature && signatures[0] != signatures[1])
    }

    @Test("New secrets are different, have 32 bytes and can be read again")
    func newSecrets() throws {
        let secrets = (0..<100).map { _ in WebhookSecret() }
        #expect(Set(secrets).count == 100)
        for secret in secrets {
            #expect(secret.bytes.count == 32 && secret.text.hasPrefix("whsec_"))
            #expect(try WebhookSecret(parsing: secret.text) == secret)
            #expect("\(secret)" == "whsec_...")
        }
    }

    @Test("Secrets have 24 to 64 bytes", arguments: [0, 1, 23, 24, 25, 63, 64, 65, 1_000])
    func sizes(count: Int) throws {
        let text = "whsec_" + base64(count)
        guard (24...64).contains(count) else {
            let error = #expect(throws: ServiceError.self) { _ = try WebhookSecret(parsing: text) }
            #expect(error?.field == "secret")
            return
        }
        #expect(try WebhookSecret(parsing: text).bytes == [UInt8](repeating: 0, count: count))
    }

    @Test(
        "Errors about secrets name the field and the form",
        arguments: [
            ("", "expected whsec_"), ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "expected whsec_"),
            ("WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "expected whsec_"),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", "expected base64"),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_", "expected base64"),
            ("whsec_MfKQ 9r8GKYqrTwjUPD8ILPZIo2LaLa", "expected base64"),
            ("whsec_è", "expected base64"), ("whsec_AAAA", "not 3"),
        ]
    )
    func errors(text: String, expectation: String) {
        let error = #expect(throws: ServiceError.self) { _ = try WebhookSecret(parsing: text, field: "key") }
        #expect(
            error?.field == "key" && error?.message.text.contains(expectation) == true, "\(error?.message.text ?? "")")
        #expect(text.isEmpty || error?.message.text.contains(text) == false)
    }

    @Test("The delays are those of the specification, at most a tenth longer")
    func schedule() throws {
        let hours = [5.0 / 3_600, 5.0 / 60, 0.5, 2, 5, 10, 14, 20, 24]
        for (number, hour) in hours.enumerated() {
            let shortest = try #require(DeliverySchedule.delay(afterAttempt: number + 1, chance: 0))
            let longest = try #require(DeliverySchedule.delay(afterAttempt: number + 1, chance: 1))
            #expect(abs(shortest - hour * 3_600) < 0.001 && abs(longest - hour * 3_960) < 0.001)
        }
        for attempt in [Int.min, -1, 0, 10, 11, .max] where attempt != .min {
            #expect(DeliverySchedule.delay(afterAttempt: attempt, chance: 0.5) == nil)
        }
    }

    @Test("A receiver can ask for a longer delay, up to a day")
    func asked() {
        #expect(DeliverySchedule.delay(afterAttempt: 1, chance: 0, asked: 60) == 60)
        #expect(DeliverySchedule.delay(afterAttempt: 2, chance: 0, asked: 60) == 300)
        #expect(DeliverySchedule.delay(afterAttempt: 1, chance: 0, asked: .max) == 86_400)
        #expect(DeliverySchedule.delay(afterAttempt: 1, chance: 0, asked: -1) == 5)
    }

    @Test("A webhook is disabled after five days without success")
    func disabled() {
        let day = 86_400.0
        #expect(!DeliverySchedule.isDisabled(failingSince: nil, now: 100 * day))
        #expect(!DeliverySchedule.isDisabled(failingSince: 10 * day, now: 15 * day - 1))
        #expect(DeliverySchedule.isDisabled(failingSince: 10 * day, now: 15 * day))
        #expect(!DeliverySchedule.isDisabled(failingSince: 10 * day, now: 9 * day))
    }

    @Test(
        "Only answers from 200 to 299 are deliveries",
        arguments: [(200, true), (204, true), (199, false), (301, false), (410, false), (500, false)]
    )
    func deliveries(status: Int, isDelivered: Bool) {
        #expect(DeliverySchedule.isDelivered(status: status) == isDelivered)
    }

    private func base64(_ count: Int) -> String {
        let whole = String(repeating: "A", count: count * 4 / 3 + (count % 3 == 0 ? 0 : 1))
        return whole + ["", "==", "="][count % 3]
    }
}

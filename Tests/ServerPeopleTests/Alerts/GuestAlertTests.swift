import Channels
import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing
import WebPush

@testable import Server

@Suite("Alerts of guests who sign in", .enabled(if: Receiver.isAvailable))
struct GuestAlertTests {
    private static let search = #"{"status": "lost", "lon": 14.79, "lat": 40.77, "radius": 10000}"#

    @Test("A guest's alerts, what they have found, and the browser go to the account that the guest signs in to")
    func signIn() async throws {
        let receiver = try TakingReceiver()
        // It is noon, so that what alerts find is not told in the morning.
        let (channels, now) = (ChannelSettings.silent(receiver.settings), ManualClock().reading)
        try await RunningService.with(hasModel: false, channels: channels, now: now) { service in
            _ = try await service.register("bruno@example.org")
            let guest = try await service.guest()
            let alert = try await service.send("POST", "/v1/me/alerts", #"{"search": \#(Self.search)}"#, token: guest)
            let lost = try await service.post(Self.dog("Luna"), guest)
            let browser = TestBrowser().subscription(receiver.url("201///x"))
            #expect(try await service.send("POST", "/v1/me/push-subscriptions", browser, token: guest).status == 201)

            let credentials = #"{"email": "bruno@example.org", "password": "correct horse"}"#
            let session = try await service.send("POST", "/v1/sessions", credentials, token: guest)
            let token = try #require(session.text("token"))
            let alerts = try await service.send("GET", "/v1/me/alerts", token: token)
            #expect(alerts.text("alerts", "0", "id") == alert.text("id"))
            #expect(alerts.text("alerts", "1", "matches", "listing") == lost)
            let browsers = try await service.send("GET", "/v1/me/push-subscriptions", token: token)
            #expect(browsers.text("push_subscriptions", "0", "service") == "127.0.0.1")

            let found = try await service.post(Self.dog("Argo"), try await service.guest())
            let path = "/v1/me/alerts/\(try #require(alert.text("id")))/listings"
            try await until("the listing") {
                try await service.send("GET", path, token: token).text("listings", "0", "id") == found
            }
            #expect(try await service.send("DELETE", "/v1/sessions", token: token).status == 204)
        }
    }

    private static func dog(_ name: String) -> String {
        #"{"status": "lost", "species": "dog", "breed": "Beagle", "name": "\#(name)", "lon": 14.80123, "lat": 40.78017}"#
    }
}

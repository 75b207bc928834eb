import Cryptography
import Domain
import Foundation
import OutgoingHTTP
import Storage
import WebPush

extension DueEvent {
    /// Where its pace is counted.
    var target: Paces.Host { Paces.Host(name: host, isPushService: webhook == nil) }

    /// The same for messages with the same key, so that a push service keeps only the last one for a device that is not
    /// reachable. It tells nothing of the key: 32 letters of a digest.
    var topic: String { String(Base64URL.text(Data.sha256(eventKey)).prefix(32)) }
}

extension Webhook.Outcome {
    /// Says no more than users may know: not whether the name leads to addresses that are not permitted.
    init(_ failure: OutgoingFailure) {
        switch failure {
        case .tooSlow: self = .timedOut
        case .notTrusted: self = .untrusted
        case .notPermitted, .noPublicAddress, .notReachable, .noAnswer: self = .unreachable
        }
    }
}

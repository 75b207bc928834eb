import Channels
import Domain
import Storage

/// Stores the notifications of browsers in the transactions that cause them, and sends them afterwards.
struct Pusher: Sendable {
    let texts: PushTexts
    let sender: ChannelSender
    let now: @Sendable () -> Timestamp
}

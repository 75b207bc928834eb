import CLinux
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Lets in as many connections as may be, and tells others at once: they would wait without a word else.
final class ConnectionLimiter: Sendable {
    private let seats: PerAddressLimit
    private let proxies: TrustedProxies
    private let refusals = Atomic(0)
    /// The most there were since memory was last given back.
    private let peak = Mutex(0)

    private static let crowd = 1000

    init(total: Int, _ limits: ConnectionLimits, proxies: TrustedProxies) {
        seats = PerAddressLimit(total: total, perAddress: limits.perAddress)
        self.proxies = proxies
    }

    /// Connections, and how many were refused since the start.
    var counts: (open: Int, refused: Int) { (seats.count, refusals.load(ordering: .relaxed)) }

    /// The machine's own connections, and those of proxies, are many people's.
    fileprivate func enter(_ address: NetworkAddress?) throws(PerAddressLimit.Exceeded) -> PerAddressLimit.Permit {
        let isShared = address.map { $0.isLoopback || proxies.isTrusted($0) } ?? true
        do {
            let seat = try seats.take(isShared ? nil : address)
            peak.withLock { $0 = max($0, seats.count) }
            return seat
        } catch {
            refusals.add(1, ordering: .relaxed)
            throw error
        }
    }

    /// Gives the memory of a crowd back when it has gone: the allocator would keep it.
    fileprivate func tidyUp() {
        let isOver = peak.withLock { peak in
            let left = seats.count
            guard peak >= Self.crowd, left < peak / 4 else { return false }
            peak = left
            return true
        }
        if isOver { Thread.detachNewThread { malloc_trim(0) } }
    }
}

/// Shows a connection in, or out.
final class ConnectionLimitHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let limiter: ConnectionLimiter
    private var seat: PerAddressLimit.Permit?

    init(_ limiter: ConnectionLimiter) {
        self.limiter = limiter
    }

    func channelActive(context: ChannelHandlerContext) {
        do {
            seat = try limiter.enter(NetworkAddress(context.remoteAddress))
        } catch {
            let (status, detail) = Self.answer(error)
            context.answerAndClose(status, detail, [.retryAfter: "2"])
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Who was shown out is not listened to.
        if seat != nil { context.fireChannelRead(data) }
    }

    private static func answer(_ refusal: PerAddressLimit.Exceeded) -> (HTTPResponse.Status, String) {
        switch refusal {
        case .full: (.serviceUnavailable, "as many connections as may be: try again in a moment")
        case .addressHasEnough: (.tooManyRequests, "too many connections from one address: close some")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        seat = nil
        context.fireChannelInactive()
        limiter.tidyUp()
    }
}

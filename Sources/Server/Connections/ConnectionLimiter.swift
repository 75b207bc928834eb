import CLinux
import Foundation
import HTTP
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Limits the number of open connections, in total and per address. Further connections are refused with a response;
/// they would otherwise wait without any.
final class ConnectionLimiter: Sendable {
    private let permits: PerAddressLimit
    private let proxies: TrustedProxies
    private let refusals = Atomic(0)
    /// The maximum number of open connections since the last call of `malloc_trim`.
    private let peak = Mutex(0)

    private static let minPeakToTrim = 1000

    init(total: Int, _ limits: ConnectionLimits, proxies: TrustedProxies) {
        permits = PerAddressLimit(total: total, perAddress: limits.perAddress)
        self.proxies = proxies
    }

    /// The number of open connections, and the number of connections refused since the start.
    var counts: (open: Int, refused: Int) { (permits.count, refusals.load(ordering: .relaxed)) }

    /// Takes a permit for a connection. Connections from the machine itself and from trusted proxies count only towards
    /// the total, because many clients share them.
    func enter(_ address: NetworkAddress?) throws(PerAddressLimit.Exceeded) -> PerAddressLimit.Permit {
        let isShared = address.map { $0.isLoopback || proxies.isTrusted($0) } ?? true
        do {
            let permit = try permits.take(isShared ? nil : address)
            peak.withLock { $0 = max($0, permits.count) }
            return permit
        } catch {
            refusals.add(1, ordering: .relaxed)
            throw error
        }
    }

    /// Calls `malloc_trim` when the number of connections has dropped below a quarter of its peak, if the peak was at
    /// least `minPeakToTrim`. The allocator would keep the memory otherwise.
    func trimMemory() {
        let isOver = peak.withLock { peak in
            let left = permits.count
            guard peak >= Self.minPeakToTrim, left < peak / 4 else { return false }
            peak = left
            return true
        }
        guard isOver else { return }
        Thread.detachNewThread {
            // By then the other connections that close at the same time are gone, too.
            Thread.sleep(forTimeInterval: 0.5)
            malloc_trim(0)
        }
    }
}

/// Takes a permit for each new connection, and refuses the connection with an error response if there is none.
final class ConnectionLimitHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let limiter: ConnectionLimiter
    private var permit: PerAddressLimit.Permit?

    init(_ limiter: ConnectionLimiter) {
        self.limiter = limiter
    }

    func channelActive(context: ChannelHandlerContext) {
        do {
            permit = try limiter.enter(NetworkAddress(context.remoteAddress))
        } catch {
            let (status, detail) = Self.answer(error)
            context.answerAndClose(status, detail, [.retryAfter: "2"])
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Data that arrives after the connection was refused is ignored.
        if permit != nil { context.fireChannelRead(data) }
    }

    private static func answer(_ refusal: PerAddressLimit.Exceeded) -> (HTTPResponse.Status, String) {
        switch refusal {
        case .full: (.serviceUnavailable, "as many connections as may be: try again in a moment")
        case .perAddressLimitReached: (.tooManyRequests, "too many connections from one address: close some")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        permit = nil
        context.fireChannelInactive()
        limiter.trimMemory()
    }
}

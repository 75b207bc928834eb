import NIOCore
import NIOHTTP1

/// Answers in the HTTP version of the request, and closes the connection after the last response. HTTP/1.0 clients do
/// not understand chunked encoding and recognise the end of a body by the end of the connection.
final class ProtocolVersion: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The requests without a complete response, in their order.
    private var requests = CircularBuffer<(isOld: Bool, isLast: Bool)>()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        requests.append((head.version == .http1_0, !head.isKeepAlive))
        // Hummingbird recognises only this spelling of the field.
        if !head.isKeepAlive { head.headers.replaceOrAdd(name: "connection", value: "close") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let request = requests.first else { return context.write(data, promise: promise) }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            if request.isOld {
                head.version = .http1_0
                let isBounded = head.headers.contains(name: "content-length") || !head.status.mayHaveResponseBody
                if isBounded, !request.isLast {
                    head.headers.replaceOrAdd(name: "connection", value: "keep-alive")
                } else {
                    requests[requests.startIndex].isLast = true
                }
            }
            if requests[requests.startIndex].isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            requests.removeFirst()
            context.write(data, promise: promise)
            if request.isLast {
                context.flush()
                context.close(mode: .output, promise: nil)
            }
        default: context.write(data, promise: promise)
        }
    }
}

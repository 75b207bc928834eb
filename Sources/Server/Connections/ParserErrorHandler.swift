import Domain
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers data that is not valid HTTP with problem details, and closes the connection, because the start of the next
/// request cannot be found.
final class ParserErrorHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The number of requests without a complete response. If there are any, the handler cannot send an error, because
    /// responses must be in the order of the requests.
    private var open = 0
    private var isInBody = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            open += 1
            isInBody = true
        case .body: break
        case .end: isInBody = false
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { open -= 1 }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
        // The code that reads the body receives this error and answers the request with it.
        if isInBody {
            return context.fireErrorCaught(ServiceError.invalid("body", "expected one as HTTP/1.1 frames it"))
        }
        guard open == 0 else { return context.fireErrorCaught(error) }
        let (status, detail) = Self.answer(error)
        context.answerAndClose(status, detail)
    }

    private static func answer(_ error: HTTPParserError) -> (HTTPResponse.Status, String) {
        switch error {
        case .headerOverflow: (.requestHeaderFieldsTooLarge, "headers: expected fewer and shorter ones")
        // The methods of the path are unknown (405 would list them), because the parser stops at the method.
        case .invalidMethod: (.notImplemented, "method: expected one that is registered for HTTP")
        default: (.badRequest, "expected a request by HTTP/1.1")
        }
    }
}

import Domain
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers what is no request by HTTP with a problem, as all errors are, and closes the connection: nobody knows where the
/// next request would begin.
final class ParserErrorHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Requests that came and were not answered yet: their answers come first, so this one cannot.
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
        // Whoever reads the body answers with it.
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
        // Which methods the path has is not known: the parser reads no further.
        case .invalidMethod: (.notImplemented, "method: expected one that is registered for HTTP")
        default: (.badRequest, "expected a request by HTTP/1.1")
        }
    }
}

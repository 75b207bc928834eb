import Formats
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers what is no request by HTTP with a problem, as all errors are, and closes the connection: nobody knows where the
/// next request would begin.
final class ParserErrors: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Requests that came and were not answered yet: their answers come first, so this one cannot.
    private var open = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { open += 1 }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { open -= 1 }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError, open == 0 else { return context.fireErrorCaught(error) }
        let (status, detail) = Self.answer(error)
        var json = JSONWriter()
        json.problem(status, detail)
        let body = json.withBytes { ByteBuffer(bytes: $0) }
        let headers: HTTPFields = [
            .contentType: JSONWriter.problemType, .contentLength: String(body.readableBytes), .connection: "close",
        ]
        let head = HTTPResponse(status: status, headerFields: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        let isWritten = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        isWritten.futureResult.whenComplete { _ in
            // What still arrives would reset the connection, and the answer be lost with it.
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: isWritten)
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

import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Photos

/// Tells clients that ask before they send (RFC 9110, 10.1.1) to go on: curl would wait a second otherwise.
final class ExpectContinue: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let request) = unwrapInboundIn(data),
            request.headerFields[.expect]?.lowercased() == "100-continue",
            // What is too large anyway is refused before it is sent.
            request.headerFields[.contentLength].flatMap({ Int($0) }) ?? 0 <= PhotoProcessor.maxFileSize
        {
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
        context.fireChannelRead(data)
    }
}

import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Photos

/// Sends `100 Continue` to clients that wait for it before they send the body (RFC 9110, 10.1.1). curl would wait for
/// one second otherwise.
final class ExpectContinue: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let request) = unwrapInboundIn(data),
            request.headerFields[.expect]?.lowercased() == "100-continue",
            // The service refuses a body that is too large before the client sends it.
            request.headerFields[.contentLength].flatMap({ Int($0) }) ?? 0 <= PhotoProcessor.maxFileSize
        {
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
        context.fireChannelRead(data)
    }
}

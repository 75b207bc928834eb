import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// What HEAD says of an answer whose length nobody knows beforehand, such as an export: nothing. A length of 0, which it would be
/// given, makes clients take the file for empty.
///
/// NIO's encoder ends such an answer with the last chunk of a body that HEAD must not have; so the connection ends with it.
enum UnknownLengthHead {
    /// Marks the answer: both fields together are never sent.
    struct Middleware: RouterMiddleware {
        func handle(
            _ request: Request,
            context: ServiceContext,
            next: (Request, ServiceContext) async throws -> Response
        ) async throws -> Response {
            var response = try await next(request, context)
            if request.method == .head, response.body.contentLength == nil {
                response.headers[.transferEncoding] = "chunked"
            }
            return response
        }
    }

    final class Handler: ChannelOutboundHandler, RemovableChannelHandler {
        typealias OutboundIn = HTTPResponsePart
        typealias OutboundOut = HTTPResponsePart

        private var isLast = false

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch unwrapOutboundIn(data) {
            case .head(var head) where head.headerFields[.transferEncoding] != nil:
                head.headerFields[.transferEncoding] = nil
                head.headerFields[.contentLength] = nil
                head.headerFields[.connection] = "close"
                isLast = true
                context.write(wrapOutboundOut(.head(head)), promise: promise)
            case .end where isLast:
                context.writeAndFlush(data, promise: promise)
                context.close(promise: nil)
            default: context.write(data, promise: promise)
            }
        }
    }
}

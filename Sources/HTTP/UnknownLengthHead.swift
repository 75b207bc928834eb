import HTTPTypes
package import Hummingbird
package import NIOCore
package import NIOHTTPTypes

/// Removes the length from responses to HEAD whose length is not known in advance, such as exports. Hummingbird would
/// send `Content-Length: 0`, from which clients would conclude that the file is empty.
///
/// NIO's encoder ends such a response with the last chunk of a chunked body, which a response to HEAD must not have.
/// The connection is closed after it for this reason.
package enum UnknownLengthHead {
    /// Marks the response for `Handler` with a `Transfer-Encoding` field. `Handler` removes it together with
    /// `Content-Length`, so that no client receives both fields.
    package struct Middleware: RouterMiddleware {

        package init() {}

        package func handle(
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

    package final class Handler: ChannelOutboundHandler, RemovableChannelHandler {
        package typealias OutboundIn = HTTPResponsePart
        package typealias OutboundOut = HTTPResponsePart

        private let endsConnection: Bool
        private var isLast = false

        /// - Parameter endsConnection: false for HTTP/2, where a stream ends without an encoding.
        package init(endsConnection: Bool) {
            self.endsConnection = endsConnection
        }

        package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch unwrapOutboundIn(data) {
            case .head(var head) where head.headerFields[.transferEncoding] != nil:
                head.headerFields[.transferEncoding] = nil
                head.headerFields[.contentLength] = nil
                if endsConnection { head.headerFields[.connection] = "close" }
                isLast = endsConnection
                context.write(wrapOutboundOut(.head(head)), promise: promise)
            case .end where isLast:
                context.writeAndFlush(data, promise: promise)
                context.close(promise: nil)
            default: context.write(data, promise: promise)
            }
        }
    }
}

import Domain
import Formats
import HTTPTypes
import NIOCore
import NIOHTTPTypes

extension ChannelHandlerContext {
    /// Sends RFC 9457 problem details, in English because the request was not read, and closes the connection after them.
    func answerAndClose(_ status: HTTPResponse.Status, _ detail: String, _ more: HTTPFields = [:]) {
        var json = JSONWriter()
        json.problem(status, detail)
        let body = json.withBytes { ByteBuffer(bytes: $0) }
        var headers = more
        headers[.contentType] = JSONWriter.problemType
        headers[.contentLanguage] = Language.english.code
        headers[.contentLength] = String(body.readableBytes)
        headers[.connection] = "close"
        let head = HTTPResponse(status: status, headerFields: headers)
        write(NIOAny(HTTPResponsePart.head(head)), promise: nil)
        write(NIOAny(HTTPResponsePart.body(body)), promise: nil)
        let isWritten = eventLoop.makePromise(of: Void.self)
        let channel = channel
        isWritten.futureResult.whenComplete { _ in
            // Only the output is closed first: if the client still sent data to a closed socket, the kernel would reset
            // the connection, and the client could lose the response.
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        }
        writeAndFlush(NIOAny(HTTPResponsePart.end(nil)), promise: isWritten)
    }
}

import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import ServerSupport

typealias HTTPMethod = NIOHTTP1.HTTPMethod

/// Sends one request to a loopback port and returns the answer. `URLSession` cannot be used, because it rejects headers
/// without a space after the colon, which chromedriver sends.
func exchange(_ method: HTTPMethod, _ path: String, _ body: Data, port: Int) async throws -> (status: Int, body: Data) {
    let headers: HTTPHeaders = [
        "Host": "127.0.0.1:\(port)", "Content-Type": "application/json", "Content-Length": "\(body.count)",
    ]
    return try await connection(to: port).executeThenClose { answers, request in
        try await request.write(.head(HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)))
        try await request.write(.body(.byteBuffer(ByteBuffer(bytes: body))))
        try await request.write(.end(nil))
        for try await answer in answers {
            return (Int(answer.head.status.code), Data(answer.body.map { Array($0.readableBytesView) } ?? []))
        }
        throw TestFailure("no answer to \(method) \(path)")
    }
}

private func connection(
    to port: Int
) async throws -> NIOAsyncChannel<NIOHTTPClientResponseFull, HTTPClientRequestPart> {
    try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(host: "127.0.0.1", port: port) {
        channel in
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            try channel.pipeline.syncOperations.addHandler(NIOHTTPClientResponseAggregator(maxContentLength: 1 << 28))
            return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        }
    }
}

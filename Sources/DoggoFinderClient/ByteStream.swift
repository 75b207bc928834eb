import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An answer as it arrives. Foundation on Linux has no `bytes(for:)`.
final class ByteStream: NSObject, URLSessionDataDelegate, Sendable {
    enum Piece: Sendable {
        case status(Int)
        case bytes(Data)
    }

    private let continuation: AsyncThrowingStream<Piece, any Error>.Continuation
    /// In seconds without a byte. The service sends an `id` every 12 seconds.
    private static let patience = 90.0

    private init(_ continuation: AsyncThrowingStream<Piece, any Error>.Continuation) {
        self.continuation = continuation
    }

    static func open(_ request: URLRequest) -> AsyncThrowingStream<Piece, any Error> {
        AsyncThrowingStream { continuation in
            let configuration = URLSession.withoutStorage.configuration
            configuration.timeoutIntervalForRequest = patience
            let session = URLSession(
                configuration: configuration,
                delegate: ByteStream(continuation),
                delegateQueue: nil
            )
            continuation.onTermination = { _ in session.invalidateAndCancel() }
            session.dataTask(with: request).resume()
        }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        continuation.yield(.status((response as? HTTPURLResponse)?.statusCode ?? 0))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        continuation.yield(.bytes(data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.finish(throwing: error)
    }
}

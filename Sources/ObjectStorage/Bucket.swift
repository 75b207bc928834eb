import Domain
import Foundation

/// A bucket of an object store that understands the protocol of Amazon S3.
///
/// Names of objects consist of letters, digits, `-`, `.`, `/` and `_`.
package final class Bucket: Sendable, CustomStringConvertible {
    /// The header with the digest of the content, which the store keeps and returns.
    private static let digestHeader = "x-amz-meta-sha256"

    package let address: BucketAddress
    let requests: BucketRequests

    package init(_ address: BucketAddress, _ keys: AccessKeys, limits: BucketLimits = BucketLimits()) {
        self.address = address
        requests = BucketRequests(address, keys, limits)
    }

    package var description: String { address.description }

    package var figures: BucketFigures { requests.figures }

    /// Writes an object. The store has acknowledged it, and compared it with its digest, when this method returns.
    ///
    /// After a failure the object may exist all the same, or come into being later.
    package func put(_ name: String, _ content: [UInt8], type: String) async throws {
        _ = try await requests.send(
            BucketRequest(
                operation: .put,
                url: address.url(of: name),
                headers: ["Content-Type: \(type)", "\(Self.digestHeader): \(Data.sha256(content).hexadecimal)"],
                body: content
            )
        )
    }

    /// Reads an object. One of more than `limit` bytes is none of ours: `BucketFailure.damaged`.
    package func get(_ name: String, atMost limit: Int) async throws -> [UInt8] {
        try await requests.send(
            // The XML of an error may be longer than the object.
            BucketRequest(operation: .get, url: address.url(of: name), maxAnswer: max(limit, 64 << 10))
        ) { reply in
            guard reply.isComplete, reply.body.count <= limit else { throw BucketFailure.damaged }
            // Objects that another program copied into the bucket have no digest.
            if let digest = reply.header(Self.digestHeader), digest != Data.sha256(reply.body).hexadecimal {
                throw BucketFailure.damaged
            }
            return reply.body
        }
    }

    /// Removes an object if it exists.
    package func delete(_ name: String) async throws {
        do {
            _ = try await requests.send(BucketRequest(operation: .delete, url: address.url(of: name)))
        } catch BucketFailure.missing {}
    }

    /// Lists the objects whose names begin with `start`, in pages of at most `limit`, 1,000 by default.
    ///
    /// - Parameter body: returns whether it needs the next page.
    package func list(
        _ start: String = "",
        atMost limit: Int = ObjectPageReader.maxObjects,
        _ body: (ObjectPage) async throws -> Bool
    ) async throws {
        var continuation: String?
        repeat {
            let page = try await page(start, continuation, limit)
            guard try await body(page) else { return }
            continuation = page.continuation
        } while continuation != nil
    }

    private func page(_ start: String, _ continuation: String?, _ limit: Int) async throws -> ObjectPage {
        // Sorted by name.
        let parameters =
            (continuation.map { [("continuation-token", $0)] } ?? []) + [
                ("encoding-type", "url"), ("list-type", "2"), ("max-keys", "\(limit)"),
                ("prefix", address.prefix + start),
            ]
        let query = parameters.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
        let request = BucketRequest(operation: .list, url: "\(address.url)?\(query)", maxAnswer: 8 << 20)
        return try await requests.send(request) { [prefix = address.prefix] reply in
            try ObjectPageReader.read(reply.body, prefix: prefix, time: reply.header("Date").flatMap(Self.time))
        }
    }

    /// Asks the store for one name. Throws if it does not answer.
    package func check() async throws {
        try await list(atMost: 1) { _ in false }
    }

    /// The unreserved characters of RFC 3986, which signatures leave as they are.
    private static func escaped(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }

    private static func time(_ text: String) -> Timestamp? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text).map { Timestamp($0) }
    }
}

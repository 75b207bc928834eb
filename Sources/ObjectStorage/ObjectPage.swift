package import Domain
import Foundation
import XML

/// An object as a list tells it.
package struct StoredObject: Equatable, Sendable {
    /// Without the prefix of the bucket.
    package let name: String
    /// In bytes.
    package let size: Int
    /// Nil if the store tells none.
    package let modifiedAt: Timestamp?
    /// Often the MD5 of the content in hexadecimal digits.
    package let entityTag: String
}

/// A part of the list of a bucket, in the order of the names.
package struct ObjectPage: Sendable {
    package let objects: [StoredObject]
    /// The time of the store.
    package let time: Timestamp?
    /// Where the next part begins; nil at the end.
    let continuation: String?
}

/// Reads the answer to `ListObjectsV2` with `encoding-type=url`.
final class ObjectPageReader: XMLHandler {
    static let maxObjects = 1000
    private static let maxTextBytes = 4096

    private let prefix: String
    private var path: [String] = []
    private var bytes: [UInt8] = []
    private var fields: [String: String] = [:]
    private var objects: [StoredObject] = []
    private var isTruncated = false
    private var continuation: String?

    private init(prefix: String) {
        self.prefix = prefix
    }

    static func read(_ body: [UInt8], prefix: String, time: Timestamp?) throws(BucketFailure) -> ObjectPage {
        let handler = ObjectPageReader(prefix: prefix)
        do {
            let reader = try XMLReader(handler, .plain(maxDepth: 8))
            try body.withUnsafeBytes { try reader.read($0) }
        } catch {
            throw .unavailable("the store's list cannot be read")
        }
        guard !handler.isTruncated || handler.continuation != nil else {
            throw .unavailable("the store's list has no continuation")
        }
        return ObjectPage(
            objects: handler.objects,
            time: time,
            continuation: handler.isTruncated ? handler.continuation : nil
        )
    }

    func start(_ name: String, _ attributes: XMLAttributes, depth: Int) throws {
        if depth == 1, name != "ListBucketResult" { throw BucketFailure.unavailable("no list") }
        path.append(name)
        bytes = []
    }

    func text(_ text: UnsafeRawBufferPointer) throws {
        guard bytes.count + text.count <= Self.maxTextBytes else { throw BucketFailure.unavailable("a long name") }
        bytes.append(contentsOf: text)
    }

    func end(depth: Int) throws {
        let name = path.removeLast()
        let text = String(decoding: bytes, as: UTF8.self)
        bytes = []
        switch (depth, name) {
        case (2, "IsTruncated"): isTruncated = text == "true"
        case (2, "NextContinuationToken"): continuation = text
        case (2, "Contents"): try addObject()
        case (3, _) where path.last == "Contents": fields[name] = text
        default: break
        }
    }

    private func addObject() throws {
        defer { fields = [:] }
        guard let key = fields["Key"].map(Self.decoded), key.hasPrefix(prefix),
            let size = fields["Size"].flatMap(Int.init), objects.count < Self.maxObjects
        else { throw BucketFailure.unavailable("no list") }
        objects.append(
            StoredObject(
                name: String(key.dropFirst(prefix.count)),
                size: size,
                modifiedAt: fields["LastModified"].flatMap(Timestamp.init(parsing:)),
                entityTag: fields["ETag"]?.filter { $0 != "\"" } ?? ""
            )
        )
    }

    /// `encoding-type=url` writes spaces as `+`.
    private static func decoded(_ key: String) -> String {
        key.replacing("+", with: " ").removingPercentEncoding ?? key
    }
}

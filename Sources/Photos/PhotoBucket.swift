package import Foundation
package import ObjectStorage

/// The files of the photos as objects of a bucket, which several servers can share. The names are those of
/// `PhotoFolder`, so that other programs can copy one into the other.
package struct PhotoBucket: PhotoFiles {
    /// In bytes. A file of 1600 pixels has less than 2 MB.
    private static let maxFileSize = 16 << 20
    /// The number of requests that a sweep or a command makes at once.
    private static let atOnce = 8
    /// After so many failures, a sweep ends.
    private static let maxFailures = 3

    let bucket: Bucket

    package init(_ bucket: Bucket) {
        self.bucket = bucket
    }

    package var description: String { bucket.description }

    package var figures: BucketFigures? { bucket.figures }

    package func check() async throws { try await bucket.check() }

    package func write(_ photo: ProcessedPhoto, id: UUID) async throws {
        let files = zip(PhotoFileName.all(of: id), photo.jpegs.map(\.bytes)).map(\.self)
        try await Self.concurrently(files) { name, bytes in try await put(name, bytes) }
    }

    package func read(_ name: PhotoFileName) async throws -> Data { Data(try await get(name)) }

    package func remove(_ photos: [UUID]) async -> (removed: [UUID], failure: (any Error)?) {
        guard !photos.isEmpty else { return ([], nil) }
        do {
            // The rows were removed before this look, so that no copy of the database begun later contains them.
            guard try await !hasRemovalLock() else { return ([], PhotosAreCopied()) }
        } catch {
            return ([], error)
        }
        return await removeFiles(of: photos)
    }

    private func removeFiles(of photos: [UUID]) async -> (removed: [UUID], failure: (any Error)?) {
        await withTaskGroup(of: (id: UUID, failure: (any Error)?).self) { group in
            var rest = photos[...]
            func addNext() {
                guard let id = rest.popFirst() else { return }
                group.addTask {
                    do {
                        for name in PhotoFileName.all(of: id) { try await bucket.delete("\(name)") }
                        return (id, nil)
                    } catch {
                        return (id, error)
                    }
                }
            }
            for _ in 0..<Self.atOnce { addNext() }
            var removed: [UUID] = []
            var failures: [any Error] = []
            while let (id, failure) = await group.next() {
                if let failure { failures.append(failure) } else { removed.append(id) }
                if failures.count < Self.maxFailures { addNext() }
            }
            return (removed, failures.first)
        }
    }

    func put(_ name: PhotoFileName, _ bytes: [UInt8]) async throws {
        try await bucket.put("\(name)", bytes, type: "image/jpeg")
    }

    func get(_ name: PhotoFileName) async throws -> [UInt8] {
        try await bucket.get("\(name)", atMost: Self.maxFileSize)
    }

    func location(_ name: some CustomStringConvertible) -> String {
        description + (description.hasSuffix("/") ? "" : "/") + name.description
    }

    /// Calls `body` with each element, a few at once. Throws the first error.
    static func concurrently<Element: Sendable>(
        _ elements: [Element],
        _ body: @Sendable @escaping (Element) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, element) in elements.enumerated() {
                if number >= atOnce { try await group.next() }
                group.addTask { try await body(element) }
            }
            try await group.waitForAll()
        }
    }
}

import Domain
import Foundation
import ObjectStorage
import TestSupport
import Testing

/// moto compares the signatures of all requests.
@Suite("Requests to buckets", .serialized, .enabled(if: ObjectStore.isAvailable, "\(ObjectStore.absence)"))
struct BucketTests {
    private let store: ObjectStore
    private let bucket: Bucket
    private let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }

    init() throws {
        store = try ObjectStore()
        bucket = try store.bucket()
    }

    @Test("Objects are written, read, listed and removed over one connection")
    func all() async throws {
        let start = Timestamp.now.milliseconds
        try await bucket.put("ab/one-800.jpg", content, type: "image/jpeg")
        try await bucket.put("locks/a_b", [], type: "text/plain")
        #expect(try store.names() == ["dogs/ab/one-800.jpg", "dogs/locks/a_b"])
        #expect(try await bucket.get("ab/one-800.jpg", atMost: 1 << 20) == content)
        #expect(try await bucket.get("locks/a_b", atMost: 0) == [])
        var names: [String] = []
        try await bucket.list { page in
            names += page.objects.map(\.name)
            #expect(page.objects.first?.size == content.count && page.time != nil)
            // Times of objects are in whole seconds.
            let modified = try #require(page.objects.first?.modifiedAt).milliseconds
            #expect((start - 1_000...Timestamp.now.milliseconds).contains(modified))
            return true
        }
        #expect(names == ["ab/one-800.jpg", "locks/a_b"])
        for _ in 0..<2 { try await bucket.delete("ab/one-800.jpg") }
        #expect(try store.names() == ["dogs/locks/a_b"])
        await #expect(throws: BucketFailure.missing) { try await bucket.get("ab/one-800.jpg", atMost: 100) }
        #expect(try store.counts().connections <= 2)
        // An object that is larger than expected is not read.
        try await bucket.put("big", content, type: "image/jpeg")
        await #expect(throws: BucketFailure.self) { try await bucket.get("big", atMost: 99_999) }
    }

    @Test("A body of more than 1 MB arrives, which libcurl announces first")
    func large() async throws {
        let large = [UInt8](repeating: 7, count: 3 << 20)
        try await bucket.put("large", large, type: "image/jpeg")
        #expect(try await bucket.get("large", atMost: 4 << 20) == large)
    }

    @Test("A store with TLS is used if its certificate is trusted and is for its name")
    func tls() async throws {
        let store = try ObjectStore(certificate: "receiver")
        let bucket = try store.bucket()
        try await bucket.put("one", content, type: "image/jpeg")
        #expect(try await bucket.get("one", atMost: 1 << 20) == content)
        #expect(try store.counts().connections == 1)
        // Its certificate is for another name.
        let stranger = try ObjectStore(certificate: "other")
        for other in [try store.bucket(trusts: false), try stranger.bucket()] {
            await #expect {
                try await other.put("two", content, type: "image/jpeg")
            } throws: { error in
                guard case .refused(let reason) = error as? BucketFailure else { return false }
                return reason.contains("certificate") || reason.contains("subject name")
            }
        }
        #expect(try store.names() == ["dogs/one"] && stranger.names() == [])
    }

    @Test("A list of 3,000 objects comes in pages")
    func pages() async throws {
        try store.tell("fill 3000")
        let all = try store.bucket("s3://photos")
        var sizes: [Int] = []
        var names: Set<String> = []
        try await all.list { page in
            sizes.append(page.objects.count)
            names.formUnion(page.objects.map(\.name))
            return true
        }
        #expect(sizes == [1000, 1000, 1000] && names.count == 3000)
        // Objects outside of the prefix are not listed.
        try await bucket.list { page in
            #expect(page.objects.isEmpty)
            return true
        }
        var pages = 0
        try await all.list("stranger-02") { _ in
            pages += 1
            return false
        }
        #expect(pages == 1)
    }

    @Test("Names that other programs chose are read as they are")
    func strangers() async throws {
        for name in ["dogs/é%20+&<x>", "dogs/a=b?c"] { try store.tell("put \(name) x") }
        var names: [String] = []
        try await bucket.list { page in
            names += page.objects.map(\.name)
            return true
        }
        #expect(names == ["a=b?c", "é%20+&<x>"])
    }

    @Test(
        "A failure that may pass is repeated until it has passed",
        arguments: ["500", "503", "cut-before", "cut-after", "half", "hang"]
    )
    func passing(fault: String) async throws {
        let bucket = fault == "hang" ? try store.bucket(attemptTime: 500) : bucket
        try store.tell("fail \(fault) 2")
        try await bucket.put("one", content, type: "image/jpeg")
        try store.tell("fail \(fault) 2")
        #expect(try await bucket.get("one", atMost: 1 << 20) == content)
        try store.tell("fail \(fault) 2")
        try await bucket.list { page in page.objects.isEmpty }
        try store.tell("fail \(fault) 2")
        try await bucket.delete("one")
        #expect(try store.names().isEmpty)
        #expect(bucket.figures.failure == nil && bucket.figures.repeats >= 4)
        #expect(bucket.figures.counts(of: .put).done == 1 && bucket.figures.counts(of: .put).failed == 0)
    }

    @Test("A failure that goes on ends within the budget; further requests fail quickly, and recover")
    func failing() async throws {
        let bucket = try store.bucket(attemptTime: 500, budget: .seconds(2))
        try store.tell("fail hang")
        await #expect(throws: BucketFailure.self) { try await bucket.put("one", content, type: "image/jpeg") }
        #expect(bucket.figures.failure != nil && bucket.figures.repeats > 0)
        let repeats = bucket.figures.repeats
        await #expect(throws: BucketFailure.self) { try await bucket.get("one", atMost: 100) }
        #expect(bucket.figures.repeats == repeats)
        try store.tell("fail none")
        try await until("an end of the failure") {
            _ = try? await bucket.put("one", content, type: "image/jpeg")
            return bucket.figures.failure == nil
        }
    }

    @Test(
        "What needs a change of the settings is not repeated, and says what is wrong",
        arguments: [
            ("403", "permit"), ("skew", "clocks of this machine"), ("redirect", "eu-south-1"),
        ]
    )
    func refused(fault: String, explanation: String) async throws {
        _ = try store.counts()
        try store.tell("fail \(fault)")
        let error = await #expect(throws: BucketFailure.self) {
            try await bucket.put("one", content, type: "image/jpeg")
        }
        #expect(error.map { "\($0)".contains(explanation) } == true, "\(String(describing: error))")
        #expect(try store.counts().requests == 1)
        #expect(error?.serviceError.code == .unavailable && error?.serviceError.retryAfter != nil)
    }

    @Test("Wrong keys and a missing bucket are refused")
    func configuration() async throws {
        for (bucket, explanation) in [
            // The keys do not permit another bucket.
            (try store.bucket(secret: "wrong"), "photos-keys-file"), (try store.bucket("s3://other-bucket"), "permit"),
        ] {
            let error = await #expect(throws: BucketFailure.self) { try await bucket.check() }
            #expect(error.map { "\($0)".contains(explanation) } == true, "\(String(describing: error))")
        }
        try store.tell("remove-bucket")
        let error = await #expect(throws: BucketFailure.self) { try await bucket.get("one", atMost: 10) }
        // A missing bucket is not a missing photo.
        #expect(error != .missing && error.map { "\($0)".contains("bucket does not exist") } == true)
    }

    @Test("Content that was altered on the way, or in the store, is not returned")
    func altered() async throws {
        try await bucket.put("one", content, type: "image/jpeg")
        try store.tell("fail alter 1")
        #expect(try await bucket.get("one", atMost: 1 << 20) == content)
        let bucket = try store.bucket(budget: .seconds(1))
        try store.tell("fail alter")
        await #expect(throws: BucketFailure.damaged) { try await bucket.get("one", atMost: 1 << 20) }
        #expect(bucket.figures.failure == nil)
    }

    @Test("An answer without end is given up")
    func endless() async throws {
        let bucket = try store.bucket(budget: .seconds(1))
        try store.tell("fail endless")
        await #expect(throws: BucketFailure.self) { try await bucket.get("one", atMost: 1 << 20) }
        await #expect(throws: BucketFailure.self) { try await bucket.check() }
    }

    @Test("A cancelled request ends soon and is no failure of the store")
    func cancelled() async throws {
        try store.tell("fail hang")
        let bucket = try store.bucket(attemptTime: 600_000)
        let task = Task { try await bucket.get("one", atMost: 100) }
        try await until("the request") { try store.counts().requests > 0 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(bucket.figures.failure == nil)
    }
}

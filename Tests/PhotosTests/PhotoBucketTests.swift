import Domain
import Foundation
import ObjectStorage
import Photos
import TestSupport
import Testing

@Suite("Photos in a bucket", .serialized, .enabled(if: ObjectStore.isAvailable, "\(ObjectStore.absence)"))
struct PhotoBucketTests {
    private let store: ObjectStore
    private let bucket: Bucket
    private let files: PhotoBucket
    private let photo: ProcessedPhoto

    init() async throws {
        store = try ObjectStore()
        bucket = try store.bucket()
        files = PhotoBucket(bucket)
        photo = try await PhotoProcessor.built().process(try plainPNG(width: 400, height: 200))
    }

    private func add() async throws -> UUID {
        let id = UUID()
        try await files.write(photo, id: id)
        return id
    }

    @Test("A photo has four objects, named as in a folder, and removal deletes them")
    func files() async throws {
        let folder = try TemporaryFolder()
        let id = try await add()
        try await PhotoFolder(shared: folder.url).write(photo, id: id)
        for (side, jpeg) in zip(PhotoProcessor.sides, photo.jpegs) {
            #expect([UInt8](try await files.read(PhotoFileName(id, side: side))) == jpeg.bytes)
            let path = PhotoFolder(shared: folder.url).url(id, side: side).path
            #expect(try store.names().contains("dogs/" + path.dropFirst(folder.url.path.count + 1)))
        }
        #expect(try store.names().count == 4)
        for _ in 0..<2 {
            let (removed, failure) = await files.remove([id])
            #expect(removed == [id] && failure == nil)
        }
        #expect(try store.names().isEmpty)
        await #expect(throws: BucketFailure.missing) { try await files.read(PhotoFileName(id, side: 800)) }
    }

    @Test("While the store fails, a removal tells which photos are left")
    func failingRemoval() async throws {
        var ids: [UUID] = []
        for _ in 0..<12 { ids.append(try await add()) }
        let files = PhotoBucket(try store.bucket(budget: .seconds(1)))
        try store.tell("fail 503")
        let (removed, failure) = await files.remove(ids)
        #expect(removed.isEmpty && failure is BucketFailure)
        try store.tell("fail none")
        #expect(await Set(files.remove(ids).removed) == Set(ids))
        #expect(try store.names().isEmpty)
    }

    @Test("No server removes files while a backup copies them, and the lock of a killed one ends")
    func lock() async throws {
        let id = try await add()
        // Another process.
        let other = PhotoBucket(try store.bucket())
        try await files.withRemovalLocked {
            let (removed, failure) = await other.remove([id])
            #expect(removed.isEmpty && failure is PhotosAreCopied)
        }
        #expect(try store.names().count == 4)
        try store.tell("put dogs/locks/killed x")
        #expect(await other.remove([id]).failure is PhotosAreCopied)
        try store.tell("age dogs/locks/killed 1000")
        #expect(await other.remove([id]).removed == [id])
        #expect(try store.names().isEmpty)
        await #expect(throws: CancellationError.self) {
            try await files.withRemovalLocked { throw CancellationError() }
        }
        #expect(try store.names().isEmpty)
    }

    @Test("Missing, empty and foreign objects are found among 3,000")
    func problems() async throws {
        let (whole, missing, empty, gone) = (try await add(), try await add(), try await add(), UUID())
        let text = { (id: UUID) in id.uuidString.lowercased() }
        func name(_ id: UUID, _ side: Int) -> String { "dogs/\(text(id).prefix(2))/\(text(id))-\(side).jpg" }
        try store.tell("remove \(name(missing, 800))")
        try store.tell("put \(name(empty, 320)) x")
        try store.tell("fill 3000 dogs/")
        let problems = try await files.problems(of: [whole, missing, empty, gone]) { _ in }
        #expect(problems.count == 5 && problems.filter { $0.photo == gone }.count == 3)
        #expect(problems.contains { $0.text == "s3://photos/\(name(missing, 800)) is missing" })
        #expect(problems.contains { $0.text == "s3://photos/\(name(empty, 320)) is cut off" })
        var (known, unknown) = (0, 0)
        try await files.list { page in
            known += page.count { $0.name != nil }
            unknown += page.count { $0.name == nil }
        }
        #expect(known == 11 && unknown == 3000)
    }

    @Test("A copy holds every photo, shares files with the copy before, and goes back into a bucket")
    func copies() async throws {
        let folders = (try TemporaryFolder(), try TemporaryFolder())
        let (first, second) = (PhotoFolder(data: folders.0.url), PhotoFolder(data: folders.1.url))
        var ids = [try await add(), try await add()]
        try await files.copy(ids, to: first, previous: nil) { _ in }
        #expect(ids.allSatisfy { first.damaged($0).isEmpty })
        ids.append(try await add())
        // One file of the earlier copy has rotted.
        var bytes = try Data(contentsOf: first.url(ids[0], side: 800))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: first.url(ids[0], side: 800))
        _ = try store.counts()
        try await files.copy(ids, to: second, previous: first) { _ in }
        // The list, the four files of the new photo and the rotten one.
        #expect(try store.counts().requests == 6)
        for id in ids {
            for (side, jpeg) in zip(PhotoProcessor.sides, photo.jpegs) {
                #expect([UInt8](try Data(contentsOf: second.url(id, side: side))) == jpeg.bytes)
            }
        }
        _ = await files.remove([ids[1]])
        _ = try store.counts()
        try await files.restore(ids, from: second) { _ in }
        #expect(try store.counts().requests == 5)
        #expect(try await files.problems(of: ids) { _ in }.isEmpty)
        #expect(try await files.read(PhotoFileName(ids[1], side: 320)).elementsEqual(photo.jpegs[3].bytes))
    }

    @Test("Nothing is wrong with a photo of an earlier version, which has no 480 pixels")
    func earlierPhoto() async throws {
        let backup = try TemporaryFolder()
        let copy = PhotoFolder(data: backup.url)
        let id = try await add()
        try store.tell("remove dogs/\(PhotoFileName(id, side: 480))")
        #expect(try await files.problems(of: [id]) { _ in }.isEmpty)
        #expect(try await files.readAsStored(PhotoFileName(id, side: 480)).elementsEqual(photo.jpegs[1].bytes))
        await #expect(throws: BucketFailure.missing) {
            try await files.readAsStored(PhotoFileName(UUID(), side: 480))
        }
        try await files.copy([id], to: copy, previous: nil) { _ in }
        #expect(copy.damaged(id).isEmpty && copy.missing(id).isEmpty)
        _ = await files.remove([id])
        try await files.restore([id], from: copy) { _ in }
        #expect(try await files.problems(of: [id]) { _ in }.isEmpty && store.names().count == 3)
    }

    @Test("Eight photos at once, while one request in four fails")
    func atOnce() async throws {
        try store.tell("fail 500 24")
        let ids = try await withThrowingTaskGroup(of: UUID.self) { group in
            for _ in 0..<8 { group.addTask { try await add() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try store.names().count == 32)
        #expect(try await files.problems(of: ids) { _ in }.isEmpty)
    }
}

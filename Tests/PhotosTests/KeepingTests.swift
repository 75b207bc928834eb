import Concurrency
import Domain
import Foundation
import Photos
import TestSupport
import Testing

@Suite("Photo storage")
struct KeepingTests {
    @Test("A photo has three files that other users cannot read, and removal deletes them")
    func files() async throws {
        let data = try TemporaryFolder()
        let folder = PhotoFolder(data: data.url)
        let id = UUID()
        let photo = try await PhotoProcessor.built().process(try fixture("turned.jpg"))
        try folder.write(photo, id: id)
        for (side, jpeg) in zip(PhotoProcessor.sides, photo.jpegs) {
            let url = folder.url(id, side: side)
            #expect([UInt8](try Data(contentsOf: url)) == jpeg.bytes)
            let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
            #expect((mode ?? 0o777) & 0o007 == 0)
        }
        try folder.remove(id)
        try folder.remove(id)
        #expect(try data.files() == ["photos.lock"])
    }

    @Test("The file of an upload in progress has no name and leaves nothing")
    func scratch() throws {
        let data = try TemporaryFolder()
        let file = try PhotoFolder(data: data.url).scratchFile()
        _ = try file.writeAll([1, 2, 3])
        #expect(try data.files() == [])
        try file.close()
    }

    @Test("A semaphore limits concurrency and the queue, and rejects the rest")
    func semaphore() async throws {
        let semaphore = AsyncSemaphore(permits: 3, maxWaiting: 40)
        let crowd = Crowd()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do {
                        try await semaphore.withPermit {
                            await crowd.enter()
                            try await Task.sleep(for: .milliseconds(20))
                            await crowd.leave()
                        }
                    } catch {
                        await crowd.isTurnedAway()
                    }
                }
            }
        }
        #expect(await crowd.inside == 0)
        #expect(await crowd.most == 3)
        #expect(await crowd.passed + crowd.turned == 100)
        #expect(await crowd.passed >= 43)
        // All permits were returned.
        try await semaphore.withPermit {}
    }

    @Test("A cancelled waiter frees its place in the queue")
    func cancelled() async throws {
        let semaphore = AsyncSemaphore(permits: 1, maxWaiting: 10)
        try await semaphore.withPermit {
            let waiting = Task { try await semaphore.withPermit {} }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        try await semaphore.withPermit {}
    }
}

private actor Crowd {
    private(set) var inside = 0
    private(set) var most = 0
    private(set) var passed = 0
    private(set) var turned = 0

    func enter() {
        inside += 1
        most = max(most, inside)
    }

    func leave() {
        inside -= 1
        passed += 1
    }

    func isTurnedAway() { turned += 1 }
}

extension TemporaryFolder {
    /// All files in the folder and its subfolders.
    fileprivate func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: url.path).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: url.appending(path: path).path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}

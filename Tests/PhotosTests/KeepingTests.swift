import Domain
import Foundation
import Photos
import TestSupport
import Testing

@Suite("Photo storage")
struct KeepingTests {
    @Test("A photo has four files that other users cannot read, and removal deletes them")
    func files() async throws {
        let data = try TemporaryFolder()
        let folder = PhotoFolder(data: data.url)
        let id = UUID()
        let photo = try await PhotoProcessor.built().process(try fixture("turned.jpg"))
        try await folder.write(photo, id: id)
        for (side, jpeg) in zip(PhotoProcessor.sides, photo.jpegs) {
            let url = folder.url(id, side: side)
            #expect([UInt8](try Data(contentsOf: url)) == jpeg.bytes)
            let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
            #expect((mode ?? 0o777) & 0o007 == 0)
        }
        try folder.removeFiles(of: id)
        try folder.removeFiles(of: id)
        #expect(try data.files() == ["photos.lock"])
    }

    @Test("Nothing is wrong with a photo of an earlier version, which has no 480 pixels")
    func earlierPhoto() async throws {
        let (data, backup) = (try TemporaryFolder(), try TemporaryFolder())
        let (folder, copy) = (PhotoFolder(data: data.url), PhotoFolder(data: backup.url))
        let id = UUID()
        let photo = try await PhotoProcessor.built().process(try fixture("turned.jpg"))
        try await folder.write(photo, id: id)
        let small = folder.url(id, side: 480)
        try photo.jpegs[2].bytes.prefix(40).withUnsafeBytes { try Data($0).write(to: small) }
        #expect(folder.damaged(id) == [small])
        try FileManager.default.removeItem(at: small)
        #expect(folder.missing(id).isEmpty && folder.damaged(id).isEmpty)
        #expect(try await folder.readAsStored(PhotoFileName(id, side: 480)).elementsEqual(photo.jpegs[1].bytes))
        await #expect(throws: CocoaError.self) { try await folder.readAsStored(PhotoFileName(UUID(), side: 480)) }
        try await folder.copy([id], to: copy, previous: nil) { _ in }
        try folder.removeFiles(of: id)
        #expect(folder.missing(id).count == 3)
        await #expect(throws: CocoaError.self) { try await folder.readAsStored(PhotoFileName(id, side: 480)) }
        try await folder.restore([id], from: copy) { _ in }
        #expect(folder.missing(id).isEmpty && folder.damaged(id).isEmpty)
    }

    @Test("The file of an upload in progress has no name and leaves nothing")
    func scratch() throws {
        let data = try TemporaryFolder()
        let file = try ScratchFolder(data.url).openFile()
        _ = try file.writeAll([1, 2, 3])
        #expect(try data.files() == [])
        try file.close()
    }
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

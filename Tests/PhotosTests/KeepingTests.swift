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

import Domain
import Foundation
import Photos
import Storage
import TestSupport
import Testing

extension URL {
    /// The contents of a folder by name, without hidden files.
    var entries: [URL] {
        let options = FileManager.DirectoryEnumerationOptions.skipsHiddenFiles
        let entries = try? FileManager.default.contentsOfDirectory(
            at: self,
            includingPropertiesForKeys: nil,
            options: options
        )
        return (entries ?? []).sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}

@Suite("Photo commands")
struct PhotoCommandTests {
    @Test("Backups contain photos, check reports missing files, and removing a listing deletes its files")
    func photos() async throws {
        let program = try Program()
        let database = try DatabaseFile(directory: program.folder.url)
        _ = try database.migrate()
        let owner = try await AccountStore(database).createGuest(tokenHash: Data(repeating: 1, count: 32))
        let listing = try await ListingStore(database).create(.at(14, 40), owner: owner)
        let (folder, id) = (PhotoFolder(data: program.folder.url), UUID())
        let photo = try await PhotoProcessor.built().process(try plainPNG(width: 60, height: 40))
        try await folder.write(photo, id: id)
        _ = try await PhotoStore(database).put(.init(id: id, width: 60, height: 40), .listing(listing.key, number: 1))
        let (seen, seenBy) = (
            UUID(), try await AccountStore(database).createGuest(tokenHash: Data(repeating: 2, count: 32))
        )
        try await folder.write(photo, id: seen)
        let point = try #require(Coordinate(lon: 14, lat: 40))
        let draft = SightingDraft(
            point: point,
            isApproximate: true,
            place: nil,
            seenAt: .now,
            text: nil,
            contactPhone: nil
        )
        let attached = StoredPhoto(id: seen, width: 60, height: 40)
        _ = try await SightingStore(database).add(draft, photo: attached, id: UUID(), of: listing, by: seenBy)
        #expect(try program.run("check").status == 0)
        try FileManager.default.removeItem(at: folder.url(seen, side: 800))
        #expect(try program.run("check").output.contains("\(seen.uuidString.lowercased())-800.jpg is missing"))
        try await folder.write(photo, id: seen)
        for name in ["stranger.jpg", "\(UUID().uuidString.lowercased())-800.jpg"] {
            let stranger = folder.url(id, side: 800).deletingLastPathComponent().appending(path: name)
            try Data("x".utf8).write(to: stranger)
            let told = try program.run("check")
            #expect(told.status == 1 && told.output.contains("\(name) is of no photo"))
            try FileManager.default.removeItem(at: stranger)
        }
        let whole = try Data(contentsOf: folder.url(id, side: 320))
        try whole.prefix(whole.count / 2).write(to: folder.url(id, side: 320))
        #expect(try program.run("check").output.contains("-320.jpg is cut off or overwritten"))
        try whole.write(to: folder.url(id, side: 320))

        let described = try program.run("photos", "describe", "--json")
        #expect(described.status == 0 && described.output == #"{"described":1,"failed":0}"# + "\n")
        #expect(try program.run("photos", "describe").output == "0 photos described, 0 not readable\n")
        let vector = try database.readNow { db in
            try db.value("SELECT length(vector) FROM classification WHERE model = 'dog-breeds'") as Int?
        }
        #expect(vector == 128)

        let outside = try TemporaryFolder()
        let backups = outside.url.appending(path: "backups")
        #expect(try program.run("backup", backups.path).status == 0)
        let backup = try #require(backups.entries.first)
        #expect(PhotoFolder(data: backup).missing(id).isEmpty && PhotoFolder(data: backup).missing(seen).isEmpty)
        #expect(try program.run(["check"], data: backup).status == 0)

        try FileManager.default.removeItem(at: PhotoFolder(data: backup).url(id, side: 800))
        let damaged = try program.run(["check"], data: backup)
        #expect(damaged.status == 1 && damaged.output.contains("-800.jpg is missing"))
        // The backup has a separate file, which is still complete.
        #expect(folder.missing(id).isEmpty)

        #expect(try program.run("listings", "remove", listing.id.uuidString).status == 0)
        #expect(folder.missing(id).count == 3 && folder.missing(seen).count == 3)
        #expect(try program.run("check").status == 0)
    }
}

import Channels
import Domain
import Foundation
import TestSupport
import Testing

@Suite("File of the key for push services")
struct VAPIDKeyFileTests {
    @Test("The file is made once, and only its owner can read it")
    func once() throws {
        let file = try TemporaryFolder()
        let url = file.url.appending(path: VAPIDKeyFile.name)
        let key = try VAPIDKeyFile.readOrCreate(url)
        #expect(try VAPIDKeyFile.readOrCreate(url).publicKey == key.publicKey)
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.url.path) == [VAPIDKeyFile.name])
    }

    @Test("A file without a key is refused, and the setting is named")
    func invalid() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "key.pem")
        let missing = #expect(throws: ServiceError.self) { try VAPIDKeyFile.read(url, field: "vapid-key-file") }
        #expect(missing?.field == "vapid-key-file")
        try Data("no key".utf8).write(to: url)
        #expect(throws: ServiceError.self) { try VAPIDKeyFile.readOrCreate(url) }
    }
}

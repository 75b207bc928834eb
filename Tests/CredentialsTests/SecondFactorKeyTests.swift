import Domain
import Foundation
import TestSupport
import Testing

@testable import Credentials

@Suite("Secrets of second factors at rest")
struct SecondFactorKeyTests {
    @Test("A secret is decrypted with the same key for the same account only")
    func purposes() throws {
        let (key, anna, bruno) = (SecondFactorKey(), UUID(), UUID())
        let secret = TOTP().secret
        let sealed = try key.seal(secret, for: .secret(anna))
        #expect(sealed.count == 48)
        #expect(try sealed != key.seal(secret, for: .secret(anna)))
        #expect(key.open(sealed, for: .secret(anna)) == secret)
        #expect(key.open(sealed, for: .secret(bruno)) == nil)
        #expect(key.open(sealed, for: .signIn) == nil)
        #expect(SecondFactorKey().open(sealed, for: .secret(anna)) == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(key.open(changed, for: .secret(anna)) == nil)
        }
        for length in 0..<sealed.count { #expect(key.open(sealed.prefix(length), for: .secret(anna)) == nil) }
    }

    @Test("The key file is made once, only its owner can read it, and a damaged one is refused")
    func file() throws {
        let folder = try TemporaryFolder()
        let key = try SecondFactorKey.readOrCreate(in: folder.url)
        let sealed = try key.seal(Data("secret".utf8), for: .signIn)
        let again = try SecondFactorKey.readOrCreate(in: folder.url)
        #expect(again.open(sealed, for: .signIn) == Data("secret".utf8))
        let file = folder.url.appending(path: SecondFactorKey.fileName)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [SecondFactorKey.fileName])
        try Data("short".utf8).write(to: file)
        #expect(throws: ServiceError.self) { try SecondFactorKey.readOrCreate(in: folder.url) }
    }

    @Test("Recovery codes differ, and are recognised however they are typed")
    func recoveryCodes() throws {
        let codes = (0..<100).map { _ in RecoveryCode() }
        #expect(Set(codes.map(\.text)).count == 100)
        for code in codes {
            #expect(code.text.wholeMatch(of: /([a-z2-7]{4}-){3}[a-z2-7]{4}/) != nil)
            let plain = code.text.replacing("-", with: "")
            for typed in [code.text, plain, code.text.uppercased(), " \(code.text.replacing("-", with: " "))\n"] {
                #expect(RecoveryCode.digest(typed: typed) == code.digest)
            }
        }
        for text in ["", "123456", "abcd-efgh-ijkl-mno", "abcd-efgh-ijkl-mnopq"] {
            #expect(RecoveryCode.digest(typed: text) == nil)
        }
    }
}

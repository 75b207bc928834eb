import Domain
import Foundation
import Testing

@testable import Cryptography

@Suite("Cryptography")
struct CryptographyTests {
    private static func bytes(_ hexadecimal: String) -> Data {
        let digits = Array(hexadecimal.filter { !$0.isWhitespace })
        return Data(
            stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
        )
    }

    @Test("Digests are those of FIPS 180-4 and RFC 1321, also of parts")
    func digests() {
        #expect(
            Data.sha256("abc").hexadecimal == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(Data.sha256("").hexadecimal == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(HashFunction.sha1.digest(Array("abc".utf8)).hexadecimal == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(HashFunction.md5.digest(Array("abc".utf8)).hexadecimal == "900150983cd24fb0d6963f7d28e17f72")
        var hash = Hash()
        for byte in "abc".utf8 { hash.update([byte]) }
        hash.update([UInt8]())
        #expect(hash.finish() == .sha256("abc"))
    }

    @Test("Authentication codes are those of RFC 4231")
    func authenticationCodes() {
        let code = HashFunction.sha256.authenticationCode(
            of: Array("what do ya want for nothing?".utf8),
            key: Array("Jefe".utf8)
        )
        #expect(code.hexadecimal == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let long = HashFunction.sha256.authenticationCode(
            of: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            key: [UInt8](repeating: 0xAA, count: 131)
        )
        #expect(long.hexadecimal == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("Derived keys are those of RFC 5869, A.1")
    func derivedKeys() {
        let key = HKDF.deriveKey(
            from: [UInt8](repeating: 0x0B, count: 22),
            salt: Self.bytes("000102030405060708090a0b0c"),
            info: Self.bytes("f0f1f2f3f4f5f6f7f8f9"),
            count: 32
        )
        #expect(key.hexadecimal == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
    }

    @Test("AES-GCM encrypts as test case 4 and 16 of its specification, and opens nothing that was changed")
    func encryption() throws {
        let key = "feffe9928665731c6d6a8f9467308308"
        let text = Self.bytes(
            """
            d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba63
            7b39
            """
        )
        let nonce = Self.bytes("cafebabefacedbaddecaf888")
        let other = Self.bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        for (key, tag) in [(key, "5bc94fbc3221a5db94fae95ae7121a47"), (key + key, "76fc6ece0f4e1768cddf8853bb2d551b")] {
            let cipher = AESGCM(key: Self.bytes(key))
            let sealed = try cipher.seal(text, nonce: nonce, authenticating: other)
            #expect(sealed.count == text.count + 16 && sealed.suffix(16).hexadecimal == tag)
            #expect(cipher.open(sealed, nonce: nonce, authenticating: other) == text)
            #expect(cipher.open(sealed, nonce: nonce, authenticating: []) == nil)
            #expect(cipher.open(sealed.dropLast(), nonce: nonce, authenticating: other) == nil)
            #expect(cipher.open(sealed.prefix(15), nonce: nonce, authenticating: other) == nil)
            #expect(cipher.open(sealed, nonce: nonce.dropLast(), authenticating: other) == nil)
            for index in [sealed.startIndex, sealed.endIndex - 1] {
                var changed = sealed
                changed[index] ^= 1
                #expect(cipher.open(changed, nonce: nonce, authenticating: other) == nil)
            }
        }
        let cipher = AESGCM(key: Data(count: 16))
        let empty = try cipher.seal([], nonce: Data(count: 12), authenticating: [])
        #expect(empty.hexadecimal == "58e2fccefa7e3061367f1d57a4e7455a")
        #expect(cipher.open(empty, nonce: Data(count: 12), authenticating: [])?.isEmpty == true)
    }

    @Test("Both sides compute the secret of RFC 5903, 8.1")
    func sharedSecret() throws {
        let (first, second) = try (
            P256PrivateKey(
                rawRepresentation: Self.bytes("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433")
            ),
            P256PrivateKey(
                rawRepresentation: Self.bytes("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53")
            )
        )
        let secret = "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"
        #expect(try first.sharedSecret(with: second.publicKey).hexadecimal == secret)
        #expect(try second.sharedSecret(with: P256PublicKey(point: first.publicKey.point)).hexadecimal == secret)
    }

    @Test("Signatures have 64 bytes, and only the right ones are valid")
    func signatures() throws {
        let key = P256PrivateKey()
        // Every 128th signature has a number that begins with a zero byte.
        for number in 0..<300 {
            let text = Array("text \(number)".utf8)
            let signature = try key.signature(for: text)
            #expect(signature.count == 64 && key.publicKey.isValid(signature, for: text))
        }
        let signature = try key.signature(for: [1])
        #expect(!key.publicKey.isValid(signature, for: [2]) && !P256PrivateKey().publicKey.isValid(signature, for: [1]))
        #expect(!key.publicKey.isValid(Data(count: 64), for: [1]) && !key.publicKey.isValid(Data(), for: [1]))
    }

    @Test("A private key has the same numbers as bytes and as PEM")
    func privateKeys() throws {
        let key = P256PrivateKey()
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n") && key.pem.hasSuffix("-----END PRIVATE KEY-----\n"))
        let (raw, read) = try (P256PrivateKey(rawRepresentation: key.rawRepresentation), P256PrivateKey(pem: key.pem))
        #expect(raw.rawRepresentation == key.rawRepresentation && raw.publicKey.point == key.publicKey.point)
        #expect(read.rawRepresentation == key.rawRepresentation && read.publicKey.point == key.publicKey.point)
        #expect(key.rawRepresentation.count == 32 && key.publicKey.point.count == 65)
    }

    private static let otherCurve = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBedw5//vKvyTNgq046
        apWt9o95GQNOf/Ykjlm3ON95IIzTh6cil3hiQVO8965cuOChZANiAATebFPkRMhp
        vIegVY6Gde1Y+S7preQ7JBMXdm5NuKCSQzg2MBri3pA0QQotPqbWtPIjaSHgDNXk
        /O9v76k4xV+WNFIV04BLxOAUD/kzEYb8DEhrsdaNZWfEUh7EtY+HhtI=
        -----END PRIVATE KEY-----

        """

    private static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAioFxY0EDIsNwICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEDgaY/W39s86yaqk9dbDOVoEgZBY
        0xQKYXTwu5lkDgcN4JHunh3ccjqzSVunyu+tRKhxTnF6Nr7YtCkDjC0vgoUBsfK6
        KPBpR08t/oyNGYLJIrk2Y+OtUZZZCvh9xH5jQEhNX9WE3ziNYQErK6zyEWuBpesJ
        y2SbV3rf1BdmEm/MbZ5hVJ0J1+MWPHok+b/NqcisENuHmkU0e3wjLkwML1HTrxs=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    @Test("What is no key of P-256 is refused with the reason")
    func wrongKeys() {
        let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
        for number in [Data(count: 32), Data(count: 31), Self.bytes(order), Data(repeating: 255, count: 32)] {
            #expect(throws: CryptographyError.self) { _ = try P256PrivateKey(rawRepresentation: number) }
        }
        for point in [
            Data(count: 65), Data([4]) + Data(repeating: 1, count: 64), Data([4]), Data([2] + [UInt8](1...32)),
        ] {
            #expect(throws: CryptographyError.self) { _ = try P256PublicKey(point: point) }
        }
        // A key of the curve P-384, and one with a passphrase.
        for pem in [
            "", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", Self.otherCurve, Self.encrypted,
        ] {
            let error = #expect(throws: CryptographyError.self) { _ = try P256PrivateKey(pem: pem) }
            #expect(error?.description.isEmpty == false)
        }
    }
}

import Domain
import Foundation
import Testing

@testable import Credentials

@Suite("Time-based codes")
struct TOTPTests {
    private static let known = TOTP(secret: Data("12345678901234567890".utf8))

    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test(
        "The codes are those of RFC 6238, appendix B",
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)]
    )
    func vectors(seconds: Int64, code: String) {
        let step = TOTP.step(at: Self.time(seconds))
        #expect(Self.known.code(atStep: step, digits: 8) == code)
        #expect(Self.known.code(atStep: step) == String(code.suffix(6)))
    }

    @Test("Codes of the step before and after are accepted, others are not")
    func window() {
        let totp = TOTP()
        let now = Self.time(1_800_000_000)
        let step = TOTP.step(at: now)
        for offset in Int64(-3)...3 {
            let found = totp.step(of: totp.code(atStep: step + offset), at: now, after: nil)
            #expect(found == (abs(offset) <= 1 ? step + offset : nil), "\(offset)")
        }
        for wrong in ["", "12345", "1234567", "abcdef", "١٢٣٤٥٦"] {
            #expect(totp.step(of: wrong, at: now, after: nil) == nil)
        }
    }

    @Test("A code of the last accepted step or of an earlier one is refused")
    func replay() {
        let totp = TOTP()
        let now = Self.time(1_800_000_000)
        let step = TOTP.step(at: now)
        #expect(totp.step(of: totp.code(atStep: step), at: now, after: step) == nil)
        #expect(totp.step(of: totp.code(atStep: step - 1), at: now, after: step) == nil)
        #expect(totp.step(of: totp.code(atStep: step + 1), at: now, after: step) == step + 1)
    }

    @Test("Secrets differ, have 160 bits, and are written in Base32")
    func secrets() {
        #expect(Self.known.secretText == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
        let secrets = Set((0..<100).map { _ in TOTP().secret })
        #expect(secrets.count == 100 && secrets.allSatisfy { $0.count == 20 })
        // RFC 4648, section 10.
        let vectors = ["": "", "f": "MY", "fo": "MZXQ", "foo": "MZXW6", "foob": "MZXW6YQ", "fooba": "MZXW6YTB"]
        for (text, encoded) in vectors { #expect(Base32.text(Data(text.utf8)) == encoded) }
    }

    @Test("The address for apps encodes the name of the site and of the account")
    func address() {
        let address = Self.known.address(issuer: "Cani: Salerno & Co", account: "anna+dog@example.org")
        #expect(
            address == "otpauth://totp/Cani%3A%20Salerno%20%26%20Co:anna%2Bdog@example.org"
                + "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Cani%3A%20Salerno%20%26%20Co"
                + "&algorithm=SHA1&digits=6&period=30"
        )
    }

    private static let oathtool = "/usr/bin/oathtool"

    @Test(
        "The codes are those of oathtool",
        .enabled(if: FileManager.default.isExecutableFile(atPath: oathtool), "oathtool is not installed")
    )
    func foreignProgram() throws {
        for number in 0..<10 {
            let totp = TOTP()
            let seconds = Int64(number) * 123_456_789 + 17
            let process = Process()
            process.executableURL = URL(filePath: Self.oathtool)
            process.arguments = ["--totp", "--base32", "--now", "@\(seconds)", totp.secretText]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(text == totp.code(atStep: TOTP.step(at: Self.time(seconds))) + "\n")
        }
    }
}

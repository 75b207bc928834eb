import Domain
import Foundation
import ServerSupport
import SpreadsheetSupport
import TestSupport
import Testing

@testable import Server

@Suite("ZIP files of photos")
struct PhotoArchiveTests {
    private static let rows = """
        reference,status,name,place
        A-1,found,Argo,Fisciano (SA)
        A-1-2,found,Ugo,Fisciano (SA)
        12,found,Luna,Fisciano (SA)

        """

    private static func photo(_ shade: UInt8) throws -> [UInt8] {
        try plainPNG(width: 64, height: 64, colour: [shade &* 30, 99, 99])
    }

    private static func upload(
        _ bytes: [UInt8],
        _ token: String,
        _ service: RunningService,
        _ query: String = ""
    ) async throws -> RunningService.Answer {
        try await service.send(
            "POST", "/v1/imports" + query, bytes: Data(bytes), token, ["Content-Type": "application/zip"])
    }

    /// The number of photos of each listing.
    private static func counts(_ service: RunningService, _ token: String) async throws -> [String: Int] {
        let own = try await service.send("GET", "/v1/me/listings", token: token)
        var counts: [String: Int] = [:]
        for index in 0..<20 {
            guard let reference = own.text("features", "\(index)", "properties", "reference") else { break }
            guard case .array(let photos)? = own["features", "\(index)", "properties", "photos"] else { continue }
            counts[reference] = photos.count
        }
        return counts
    }

    @Test("Photos become those of the listings whose references are their names, once")
    func names() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            _ = try await service.ended(try await service.upload(Self.rows, token), token)
            var zip = ZipWriter()
            zip.add("foto/a-1.PNG", try Self.photo(1), isStored: true)
            zip.add("foto/A-1-3.png", try Self.photo(2))
            // The whole name counts more than the name without its number.
            zip.add("A-1-2.png", try Self.photo(3))
            zip.add("12/IMG_0001.png", try Self.photo(4))
            zip.add("12 (2).png", try Self.photo(5))
            zip.add("99.png", try Self.photo(6))
            zip.add("__MACOSX/._12.png", [1, 2, 3])
            zip.add("12_3.png", Array("no photo".utf8))
            let bytes = zip.finish()
            let trial = try await service.ended(try await Self.upload(bytes, token, service, "?dry_run=true"), token)
            #expect(trial["rows", "created"] == 6 && trial["rows", "rejected"] == 1, "\(trial.html)")
            #expect(try await Self.counts(service, token) == ["A-1": 0, "A-1-2": 0, "12": 0])
            let done = try await service.ended(
                try await Self.upload(bytes, token, service, "?close_missing=all"), token)
            #expect(done["rows", "created"] == 5 && done["rows", "rejected"] == 2 && done.text("mapping") == "photos")
            #expect(done["rows", "closed"] == 0)
            let counts = ["A-1": 2, "A-1-2": 1, "12": 2]
            #expect(try await Self.counts(service, token) == counts)
            let again = try await service.ended(try await Self.upload(bytes, token, service), token)
            #expect(again["rows", "unchanged"] == 5 && again["rows", "created"] == 0)
            #expect(try await Self.counts(service, token) == counts)
            let report = try #require(done.text("id"))
            let page = try await service.send(
                "GET", "/my/imports/\(report)",
                headers: ["Cookie": "__Host-doggofinder=\(token)", "Accept-Language": "en"])
            #expect(page.html.contains("99.png") && page.html.contains("No listing has the reference"))
        }
    }

    @Test("Photos of others, and more than six, are not added")
    func limits() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (token, other) = (
                try await service.register("shelter@example.org"), try await service.register("other@example.org")
            )
            _ = try await service.ended(try await service.upload(Self.rows, token), token)
            var zip = ZipWriter()
            for number in 1...8 { zip.add("A-1/\(number).png", try Self.photo(UInt8(number))) }
            let foreign = try await service.ended(try await Self.upload(zip.finish(), other, service), other)
            #expect(foreign["rows", "rejected"] == 8)
            let done = try await service.ended(try await Self.upload(zip.finish(), token, service), token)
            #expect(done["rows", "created"] == 6 && done["rows", "rejected"] == 2, "\(done.html)")
        }
    }

    @Test("Hostile and wrong files are refused in words")
    func hostile() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            var text = ZipWriter()
            text.add("notes.txt", Array("x".utf8))
            let workbook = SpreadsheetFile.workbook([.init("<row/>")], formats: []).bytes()
            for bytes in [text.finish(), workbook, Array("reference,status\n".utf8), [0x50, 0x4B, 0x03, 0x04]] {
                let answer = try await Self.upload(bytes, token, service)
                #expect(answer.status == 400 && answer.text("field") == "body", "\(answer.html)")
            }
            _ = try await service.ended(try await service.upload(Self.rows, token), token)
            var bomb = ZipWriter()
            bomb.add("A-1.png", [UInt8](repeating: 0, count: 40 << 20))
            var link = ZipWriter.Lies()
            link.mode = 0o120777
            bomb.add("12.png", Array("/etc/passwd".utf8), link)
            bomb.add("../../12.jpg", Array("no photo".utf8))
            let done = try await service.ended(try await Self.upload(bomb.finish(), token, service), token)
            #expect(done["rows", "rejected"] == 2 && done["rows", "total"] == 2, "\(done.html)")
        }
    }

    @Test("Names mean references and numbers")
    func meanings() {
        for (name, references, number) in [
            ("A-12.jpg", ["A-12"], 1), ("12.jpg", ["12"], 1), ("k/IMG_0001.JPG", ["IMG_0001", "k", "K"], 1),
            ("12 (2).png", ["12 (2)", "12"], 2), ("a.b-3.webp", ["a.b-3", "A.B-3", "a.b", "A.B"], 3),
            (".jpg", [], 1),
        ] {
            let meaning = PhotoName(name)
            #expect(meaning.number == number && meaning.references == references, "\(meaning)")
        }
    }
}

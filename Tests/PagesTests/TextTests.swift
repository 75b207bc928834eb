import Domain
import Foundation
import Localization
import TestSupport
import Testing

@testable import Pages

@Suite("Page texts")
struct TextTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources").standardizedFileURL

    private static func words(_ language: Language) throws -> [String: [String: String]] {
        let file = folder.appending(path: "Domain/Languages/\(language.code)/texts.json")
        return try JSONDecoder().decode([String: [String: String]].self, from: Data(contentsOf: file))
    }

    private static func files(_ subfolder: String) throws -> [(name: String, text: String)] {
        let files = FileManager.default.enumerator(
            at: folder.appending(path: subfolder),
            includingPropertiesForKeys: nil
        )
        return try (files?.compactMap { $0 as? URL } ?? []).filter {
            !$0.hasDirectoryPath && !["png", "jpg"].contains($0.pathExtension)
        }
        .map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
    }

    @Test(
        "All languages have the same keys, and in each text the same placeholders, markup and paragraphs",
        arguments: Language.allCases)
    func languages(language: Language) throws {
        let (english, other) = (try Self.words(.english), try Self.words(language))
        #expect(Set(english.keys) == Set(other.keys))
        for (group, words) in english {
            #expect(Set(words.keys) == Set(other[group]?.keys ?? [:].keys), "\(group)")
            for (key, text) in words {
                let others = other[group]?[key] ?? ""
                #expect(!others.isEmpty || text.isEmpty, "\(group).\(key)")
                #expect(Self.parts(text) == Self.parts(others), "\(group).\(key)")
            }
        }
    }

    @Test("No text of a language stands twice", arguments: Language.allCases)
    func duplicates(language: Language) throws {
        let file = Self.folder.appending(path: "Domain/Languages/\(language.code)/texts.json")
        let keys = try String(contentsOf: file, encoding: .utf8).matches(of: #/"[\w.:-]+": /#).count
        let words = try Self.words(language)
        #expect(keys == words.count + words.values.map(\.count).reduce(0, +))
    }

    /// What a translation has to keep.
    private static func parts(_ text: String) -> [String] {
        text.matches(of: #/{\w+}|<[^>]+>|\n/#).map { String($0.output) }.sorted()
    }

    @Test(
        "A lost or changed placeholder, mark or paragraph is found",
        arguments: ["Hello", "Hello {nam}", "{name} {name}", "{name}\n"])
    func lostParts(text: String) { #expect(Self.parts(text) != Self.parts("Hi, {name}")) }

    @Test("Every text that scripts use exists, and every script text is used")
    func scripts() throws {
        let words = Set(try #require(try Self.words(.english)["script"]).keys)
        let scripts = try Self.files("Pages/Assets").filter { $0.name.hasSuffix(".js") }.map(\.text).joined()
        let said = Set(scripts.matches(of: #/\bsay\("([\w.]+)"/#).map { String($0.1) })
        let counted = scripts.matches(of: #/\bcount\("([\w.]+)"/#).flatMap { ["\($0.1).one", "\($0.1).other"] }
        #expect(said.union(counted) == words)
    }

    private static let ofModeration: [String] = {
        var keys = Report.Reason.allCases.map { "reason.\($0)" }
        keys += Report.Status.allCases.map { "moderation.\($0)" }
        keys += Report.Subject.allCases.flatMap { ["report.\($0)", "moderation.\($0)"] }
        keys += Account.Role.allCases.map { "moderation.role.\($0)" }
        keys += ["conflict", "gone", "note"].map { "moderation.problem.\($0)" }
        return keys + Audit.Action.allCases.map { "audit.\($0.rawValue)" }
    }()

    @Test("Every enumeration case has a text")
    func states() async throws {
        let localization = try Localization(breeds: try Bundled.breeds())
        for language in Language.allCases {
            let localizer = localization.localizer(language)
            let keys =
                Listing.Status.allCases.flatMap { ["status.\($0)", "timeline.seen.\($0)", "flyer.headline.\($0)"] }
                + Species.allCases.flatMap { ["species.\($0)", "listing.unnamed.\($0)"] }
                + Listing.Sex.allCases.map { "sex.\($0)" } + Listing.Size.allCases.map { "size.\($0)" }
                + Listing.Status.allCases.map { "timeline.status.\($0)" }
                + Country.Authority.Kind.allCases.map { "authority.\($0)" }
                + MessageView.Message.allCases.flatMap { ["\($0).title", "\($0).explanation"] }
            for key in keys + Self.ofModeration { #expect(localizer(key) != key) }
        }
    }
}

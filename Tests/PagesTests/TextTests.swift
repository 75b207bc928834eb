import Domain
import Foundation
import TestSupport
import Testing

@testable import Localization
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
        let forms = PluralRules(language.properties.plurals).forms
        for (group, words) in english {
            let expected = Self.withForms(words, forms)
            #expect(Set(expected.keys) == Set(other[group]?.keys ?? [:].keys), "\(group)")
            for (key, text) in expected {
                let others = other[group]?[key] ?? ""
                #expect(!others.isEmpty || text.isEmpty, "\(group).\(key)")
                // "One person" and "{n} people" are forms of one text.
                let isForm = forms.contains { $0 != PluralRules.other && key.hasSuffix(".\($0)") }
                let (parts, otherParts) = (Self.parts(text), Self.parts(others))
                #expect(
                    parts == otherParts || isForm && parts.filter { $0 != "{n}" } == otherParts.filter { $0 != "{n}" },
                    "\(group).\(key)")
            }
        }
    }

    /// The English texts with a key for each plural form of a language.
    private static func withForms(_ words: [String: String], _ forms: [String]) -> [String: String] {
        let other = ".\(PluralRules.other)"
        let counted = words.keys.filter { $0.hasSuffix(other) }.map { String($0.dropLast(other.count)) }
            .filter { words["\($0).one"] != nil }
        var texts = words
        for key in counted {
            texts["\(key).one"] = nil
            for form in forms { texts["\(key).\(form)"] = words["\(key).\(form)"] ?? words[key + other] }
        }
        return texts
    }

    @Test(
        "Numbers have the plural forms of CLDR",
        arguments: [
            (["one": "i = 1 and v = 0"], [0: "other", 1: "one", 2: "other"]),
            (["one": "i = 0,1"], [0: "one", 1: "one", 2: "other"]),
            (["one": "i = 0..1"], [0: "one", 1: "one", 2: "other"]),
            ([:], [1: "other"]),
            (
                [
                    "one": "v = 0 and i % 10 = 1 and i % 100 != 11",
                    "few": "v = 0 and i % 10 = 2..4 and i % 100 != 12..14",
                    "many": "v = 0 and i % 10 = 0 or v = 0 and i % 10 = 5..9 or v = 0 and i % 100 = 11..14",
                ],
                [1: "one", 21: "one", 11: "many", 2: "few", 24: "few", 12: "many", 5: "many", 100: "many", 1002: "few"]
            ),
        ])
    func plurals(rules: [String: String], numbers: [Int: String]) {
        for (number, form) in numbers { #expect(PluralRules(rules).form(of: number) == form, "\(number)") }
    }

    @Test("A number is written in the form of its language")
    func counts() async throws {
        let localization = try Localization(breeds: try Bundled.breeds())
        func text(_ code: String, _ count: Int) throws -> String {
            localization.localizer(try #require(Language(rawValue: code)))("board.count", count: count)
        }
        #expect(try [0, 1, 1_500].map { try text("en", $0) } == ["0 listings", "1 listing", "1,500 listings"])
        #expect(try [0, 1, 2].map { try text("fr", $0) } == ["0 annonce", "1 annonce", "2 annonces"])
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

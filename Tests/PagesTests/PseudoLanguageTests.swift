import Domain
import Foundation
import Localization
import TestSupport
import Testing

@testable import Pages

/// Languages that show what a page does with longer texts, texts from elsewhere, and writing from right to left.
@Suite("Pseudo-languages")
struct PseudoLanguageTests {
    /// As in ICU, `XA` has longer texts and `XB` is written from right to left.
    private static let longer = Language(
        code: "en-XA", properties: Language.Properties(name: "[Long English]", locale: "en_GB"))
    private static let mirrored = Language(
        code: "en-XB",
        properties: Language.Properties(name: "[Mirrored English]", locale: "en_GB", direction: .rightToLeft))

    private static func pages() throws -> Pages {
        let texts = try Localization(breeds: try Bundled.breeds()).localizer(.english).texts.tree
        let longTexts = texts.mapValues { $0.mapValues(Self.marked) }
        return try Pages(
            Localization(
                breeds: try Bundled.breeds(),
                added: [longer: LocalizedStrings(longTexts), mirrored: LocalizedStrings(texts)]),
            base: "")
    }

    /// The text between brackets, 40 % longer.
    private static func marked(_ text: String) -> String {
        let added = String(repeating: "~", count: (text.count * 2 + 4) / 5)
        return "\u{27E6}\(text)\(added)\u{27E7}"
    }

    private static func visit(_ language: Language) -> PageContext {
        PageContext(language: language, viewer: nil, origin: "https://dogs.example.org", address: "/board")
    }

    @Test("Every page shows the texts of its language, and each is longer by 40 %")
    func longerTexts() throws {
        #expect(Self.marked("0123456789") == "\u{27E6}0123456789~~~~\u{27E7}")
        let pages = try Self.pages()
        for page in try Samples().pages(pages, Self.longer) {
            let html = page.html(pages, Self.visit(Self.longer))
            let hasMenu = html.contains(#"<nav class="main""#)
            #expect(!hasMenu || html.contains("\u{27E6}Board~~\u{27E7}"), "\(page.name)")
            #expect(html.contains(#"<html lang="en-XA" dir="ltr""#), "\(page.name)")
        }
    }

    /// Words that are the same in all languages.
    private static let international: Set<String> = ["API", "WhatsApp"]

    @Test("Templates have no words of their own", arguments: ["layout", "board", "form", "my", "account", "inbox"])
    func templateWords(name: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/Pages/Templates")
        let template = try String(contentsOf: folder.appending(path: "\(name).mustache"), encoding: .utf8)
        let words = template.replacing(#/\{\{\{?[^}]*\}\}\}?/#, with: " ").replacing(#/<[^>]*>/#, with: " ")
            .replacing(#/\s\w+(-\w+)*="[^"]*"/#, with: " ").split { $0.isWhitespace || $0.isPunctuation }
            .filter { $0.count > 1 && $0.allSatisfy(\.isLetter) }
        let own = words.map { String($0) }.filter { !Self.international.contains($0) }
        #expect(own.isEmpty, "\(own)")
    }

    @Test("Pages of a language that is written from right to left are mirrored")
    func direction() throws {
        let pages = try Self.pages()
        for page in try Samples().pages(pages, Self.mirrored) {
            let html = page.html(pages, Self.visit(Self.mirrored))
            #expect(html.contains(#"<html lang="en-XB" dir="rtl""#), "\(page.name)")
        }
        let css = pages.assets.stylesheet
        let physical = css.matches(
            of:
                #/(?:margin|padding|border)-(?:left|right)\b|[{;\s](?:left|right)\s*:|(?:text-align|float)\s*:\s*(?:left|right)/#
        )
        #expect(physical.map { String($0.output) } == [])
    }

    @Test("A text that a language does not have is shown in English")
    func fallback() throws {
        let english = try Localization(breeds: try Bundled.breeds()).localizer(.english).texts
        let few = try LocalizedStrings(["nav": ["board": "Tavola"]], insteadOfMissing: english)
        #expect(few("nav.board") == "Tavola" && few("nav.map") == english("nav.map") && few.has("footer.about"))
    }

    @Test("The menu offers all languages by their own names, and each page tells its address in each")
    func menu() throws {
        let pages = try Self.pages()
        var visit = PageContext(
            language: .italian, viewer: nil, origin: "https://dogs.example.org", address: "/board?lang=it&species=dog")
        visit.sendsMail = true
        let page = try #require(try Samples().pages(pages, .italian).first)
        let html = page.html(pages, visit)
        for language in Language.allCases {
            let query = "/board?species=dog&amp;lang=\(language.code)"
            let current = language == .italian ? #" aria-current="true""# : ""
            #expect(
                html.contains(
                    "<a href=\"\(query)\" hreflang=\"\(language.code)\" lang=\"\(language.code)\" rel=\"alternate\"\(current)>"
                        + "\(language.properties.name)</a>"))
            #expect(html.contains("hreflang=\"\(language.code)\" href=\"https://dogs.example.org\(query)\">"))
        }
        #expect(html.contains(#"hreflang="x-default" href="https://dogs.example.org/board?species=dog">"#))
    }
}

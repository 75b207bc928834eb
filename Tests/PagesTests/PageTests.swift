import Domain
import Foundation
import Localization
import TestSupport
import Testing

@testable import Matching
@testable import Pages

@Suite("Page templates")
struct PageTests {
    private static let hostile = #"</script><script>alert(1)</script>"onload='x' {{t.board.title}} & <b>"#

    private static func pages(base: String = "") throws -> Pages {
        try Pages(Localization(breeds: try Bundled.breeds()), base: base)
    }

    private static func visit(_ language: Language = .english, viewer: Account? = nil) -> PageContext {
        PageContext(
            language: language,
            viewer: viewer,
            origin: "https://dogs.example.org",
            address: "/board?q=\"><script>"
        )
    }

    /// A listing with hostile text in every field.
    private static func listing(photos: Int = 2, status: Listing.Status = .lost) throws -> Listing {
        var content = ListingContent()
        content.status = status
        content.name = hostile
        content.breed = hostile
        content[.colour] = hostile
        content[.age] = hostile
        content[.marks] = hostile
        content.description = hostile
        content.contactName = .init(value: hostile, isPublic: true)
        content.contactPhone = .init(value: "+39 089 1", isPublic: true)
        content.contactEmail = .init(value: "a'b@example.org", isPublic: true)
        content[.microchip] = "380260000000001"
        return try self.listing(content: content, photos: photos)
    }

    private static func listing(content: ListingContent, photos: Int = 0) throws -> Listing {
        var location = ListingLocation(coordinate: try #require(Coordinate(lon: 14.79, lat: 40.77)), approximate: true)
        location.place = hostile
        location.region = hostile
        let photo =
            #"{"number":1,"width":8,"height":6,"url":"/photos/x-1600.jpg","medium":"/photos/x-800.jpg","thumbnail":"/photos/x-320.jpg"}"#
        let kept = try (0..<photos).map { _ in try JSONDecoder().decode(ListingPhoto.self, from: Data(photo.utf8)) }
        return .sample(content, at: location, photos: kept)
    }

    @Test("The photos of the first row are loaded before others")
    func firstRow() throws {
        let cards = try Self.pages().builder(.english, origin: "").cards(
            of: try (0..<4).map { _ in .init(try Self.listing()) })
        #expect(cards.map(\.photo?.isFirst) == [true, true, false, false])
    }

    @Test("A card says what speaks for it in the photo of a search, and nothing else of the evidence")
    func reasons() throws {
        let evidence = [
            Evidence(kind: .likeness, level: "alike", bits: 3), Evidence(kind: .distance, level: "near", bits: 2),
            Evidence(kind: .photo, level: "different", bits: -2),
        ]
        let card = ListingCard(try Self.listing(), distance: 900, evidence: evidence)
        let html = try Self.pages().html(Self.visit()) { $0.card(card) }
        #expect(html.contains(">The photos look alike</p>"))
        #expect(!html.contains("Another breed") && !html.contains("Close by"))
    }

    @Test("Text that users enter never becomes markup", arguments: Language.allCases)
    func hostileText(language: Language) async throws {
        let pages = try Self.pages()
        for page in try Samples().pages(pages, language) {
            let html = page.html(pages, Self.visit(language))
            #expect(html.hasPrefix("<!doctype html>"), "\(page.name)")
            #expect(!html.contains("<script>alert"), "\(page.name)")
            #expect(!html.contains("<b>"), "\(page.name)")
            // In linked data, a backslash precedes each quote.
            #expect(!html.contains(#/[^\\]"onload/#), "\(page.name)")
            // Text that looks like a template tag is not evaluated.
            if html.contains("onload=") { #expect(html.contains("{{t.board.title}}"), "\(page.name)") }
        }
    }

    @Test("Text that users enter never becomes markup of feeds and parts of pages")
    func hostileParts() throws {
        for part in try Samples().parts() {
            let text = part.html(try Self.pages(), Self.visit())
            #expect(!text.contains("<script>") && !text.contains("<b>"), "\(part.name)")
            #expect(text.contains("&lt;script&gt;alert"), "\(part.name)")
        }
    }

    @Test("The form contains every field, and the page shows the public ones", arguments: Language.allCases)
    func fields(language: Language) async throws {
        let pages = try Self.pages()
        let texts = pages.localizer(language).texts
        var content = ListingContent()
        for field in ListingField.allCases {
            try content.apply(Field(field.name, field.sample), breeds: try Bundled.breeds())
        }
        let listing = try Self.listing(content: content)
        let form = pages.html(Self.visit(language)) { $0.form(listing, ListingForm.values(editing: listing, in: .gmt)) }
        let own = pages.html(Self.visit(language)) { $0.listing(listing, ListingContext(isOwner: true)) }
        let other = pages.html(Self.visit(language)) { $0.listing(listing, ListingContext()) }
        for field in ListingForm.fields {
            #expect(form.contains(" name=\"\(field.name)\""), "\(field.name) in the form")
            guard field.definition.display != nil, case .string(var shown) = field.sample else { continue }
            #expect(texts.has("field.\(field.name)"), "field.\(field.name) in \(language)")
            if case .choice = field.kind { shown = texts("\(field.name).\(shown)") }
            #expect(own.contains(shown), "\(field.name) on the owner's page")
            #expect(other.contains(shown) == (field.access == .everybody), "\(field.name) on the page")
        }
    }

    @Test("No text key appears instead of its text", arguments: Language.allCases)
    func missingTexts(language: Language) async throws {
        let pages = try Self.pages()
        let keys = pages.localizer(language).texts.tree
        let known = Set(keys.flatMap { group, words in words.keys.map { "\(group).\($0)" } })
        for page in try Samples().pages(pages, language) {
            // The values that forms send are not visible text.
            let html = page.html(pages, Self.visit(language)).replacing(Self.hostile, with: "")
                .replacing(#/ value="[^"]*"/#, with: "")
            for match in html.matches(of: #/[>"]([a-z]+\.[\w.]+)[<"]/#) {
                #expect(!known.contains(String(match.1)), "\(page.name)")
            }
            #expect(html.contains("lang=\"\(language.rawValue)\""))
        }
    }

    @Test("Every address is below the base path of the service")
    func basePath() async throws {
        let pages = try Self.pages(base: "/dogs")
        for page in try Samples().pages(pages, .english) {
            let html = page.html(pages, Self.visit())
            for match in html.matches(of: #/(?:href|src|action|srcset)="(/[^"]*)"/#) {
                #expect(match.1.hasPrefix("/dogs/"), "\(page.name): \(match.1)")
            }
        }
    }

    @Test("Only the owner sees the microchip, and nobody sees hidden contacts")
    func privateFields() async throws {
        let pages = try Self.pages()
        let listing = try Self.listing()
        let own = pages.html(Self.visit()) { $0.listing(listing, ListingContext(isOwner: true)) }
        let other = pages.html(Self.visit()) { $0.listing(listing, ListingContext()) }
        #expect(own.contains("380260000000001") && !other.contains("380260000000001"))
        #expect(other.contains("tel:+390891") && other.contains("mailto:a"))
        var content = listing.content
        content.contactPhone.isPublic = false
        content.contactEmail.isPublic = false
        content.contactName.value = "Anna Secret"
        content.contactName.isPublic = false
        let silent = Listing(
            key: 1,
            id: listing.id,
            code: listing.code,
            owner: 1,
            version: 1,
            hidden: false,
            content: content,
            location: listing.location,
            photos: [],
            createdAt: .now,
            updatedAt: .now
        )
        let html = pages.html(Self.visit()) { $0.listing(silent, ListingContext()) }
        for secret in ["tel:", "mailto:", "Anna Secret", "089 1"] { #expect(!html.contains(secret)) }
    }

    @Test("Linked data is valid JSON even for hostile text")
    func linkedData() async throws {
        let listing = try Self.listing()
        let html = try Self.pages().html(Self.visit()) { $0.listing(listing, ListingContext()) }
        let match = try #require(try #/<script type="application/ld\+json">(.*?)</script>/#.firstMatch(in: html))
        let json = try JSONDecoder().decode(JSONValue.self, from: Data(match.1.utf8))
        guard case .object(let fields) = json, case .string(let text)? = fields["text"] else {
            Issue.record("expected an object")
            return
        }
        #expect(text.contains(Self.hostile))
    }

    @Test("A card without a photo shows a drawn animal, also on the page of a listing with photos")
    func cardWithoutPhoto() throws {
        let samples = try Samples()
        var context = ListingContext(isOwner: true)
        context.matches = [samples.match(samples.other, MatchAnswers())]
        let html = try Self.pages().html(Self.visit()) { $0.listing(samples.listing, context) }
        let cards = html.matches(of: #/<article class="card .*?<\/article>/#.dotMatchesNewlines()).map(\.output)
        #expect(cards.map { $0.contains("<img") } == [true, false])
        #expect(cards.map { $0.contains("nophoto") } == [false, true])
    }

    @Test(
        "The drawn animal is of the listing's species and colours, and is said to be a drawing",
        arguments: [
            (Species.dog, "nero e bianco" as String?, ##"fill="#3a373e" color="#f4eee2""## as String?),
            (.dog, "black and tan", ##"fill="#3a373e" color="#d3a063""##),
            (.cat, "Red", ##"fill="#b8652f" color="#dba274""##),
            (.dog, "with spots", nil), (.cat, nil, nil),
        ]
    )
    func drawing(species: Species, colour: String?, colours: String?) throws {
        var content = ListingContent()
        content.species = species
        content[.colour] = colour
        let listing = try Self.listing(content: content)
        for html in [
            try Self.pages().html(Self.visit()) { $0.card(.init(listing)) },
            try Self.pages().html(Self.visit()) { $0.listing(listing, ListingContext()) },
        ] {
            #expect(html.contains("/animals.svg#\(species.rawValue)\""))
            #expect(html.contains("Drawing, not a photo"))
            let attributes = colours.map { " " + $0 } ?? ""
            #expect(
                html.contains(
                    #"class="drawing" viewBox="0 0 100 100" aria-hidden="true" focusable="false"\#(attributes)>"#))
        }
    }

    @Test("Another animal than a dog or a cat has a paw in the place of a photo")
    func otherAnimal() throws {
        var content = ListingContent()
        content.species = .other
        let listing = try Self.listing(content: content)
        let html = try Self.pages().html(Self.visit()) { $0.card(.init(listing)) }
        #expect(html.contains("nophoto") && !html.contains("animals.svg") && !html.contains("Drawing"))
    }

    @Test("Distances and times are rounded and formatted for readers")
    func units() async throws {
        let pages = try Self.pages()
        let (english, italian) = (pages.localizer(.english), pages.localizer(.italian))
        #expect(english.distance(0) == "0\u{A0}m" && english.distance(847) == "850\u{A0}m")
        #expect(english.distance(2_340) == "2.3\u{A0}km" && italian.distance(2_340) == "2,3\u{A0}km")
        #expect(english.distance(12_345_678) == "12,346\u{A0}km")
        let threeHours = Timestamp.now.adding(seconds: -3 * 3_600 - 60)
        #expect(english.ago(threeHours) == "3 hours ago" && italian.ago(threeHours) == "3 ore fa")
    }

    @Test("Texts of several lines are edited in inputs of several lines")
    func severalLines() async throws {
        let listing = try Self.listing()
        let html = try Self.pages().html(Self.visit()) {
            $0.form(listing, ListingForm.values(editing: listing, in: .gmt))
        }
        for field in ListingField.allCases {
            guard case .lines = field.kind else { continue }
            #expect(html.contains("<textarea name=\"\(field.name)\""), "\(field.name)")
        }
    }

    @Test("Assets have a version, and paths outside their folder are not found")
    func assets() async throws {
        let assets = try Self.pages().assets
        #expect(assets.version.count == 12)
        #expect(assets.file("app.js")?.type == "text/javascript; charset=utf-8")
        #expect(assets.file("../Texts/en.json") == nil)
    }
}

extension Pages {
    fileprivate func html<View: PageView>(_ visit: PageContext, _ page: (PageBuilder) -> View) -> String {
        String(decoding: render(for: visit, page), as: UTF8.self)
    }
}

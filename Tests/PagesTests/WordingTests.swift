import Domain
import Flyer
import Foundation
import Localization
import TestSupport
import Testing

@testable import Pages

@Suite("Wording of pages")
struct WordingTests {
    private static func pages() throws -> Pages {
        try Pages(Localization(breeds: try Bundled.breeds()), base: "")
    }

    private static func html<View: PageView>(
        _ language: Language = .english,
        _ page: (PageBuilder) -> View
    ) throws -> String {
        let visit = PageContext(language: language, viewer: nil, origin: "https://dogs.example.org", address: "/")
        return String(decoding: try pages().render(for: visit, page), as: UTF8.self)
    }

    private static func html(
        _ listing: Listing,
        isOwner: Bool = false,
        _ language: Language = .english
    ) throws -> String {
        try html(language) { $0.listing(listing, ListingContext(isOwner: isOwner)) }
    }

    /// A listing in Fisciano, seen on 1 July 2026 at 12:30 in Italy.
    private static func listing(
        _ status: Listing.Status = .lost,
        _ change: (inout ListingContent) -> Void = { _ in }
    ) throws -> Listing {
        var content = ListingContent()
        content.status = status
        content.breed = "Beagle"
        content.lastSeenAt = Timestamp(parsing: "2026-07-01T10:30:00Z")
        change(&content)
        var location = ListingLocation(coordinate: try #require(Coordinate(lon: 14.79, lat: 40.77)), approximate: true)
        location.place = "Fisciano"
        location.countryCode = "IT"
        return .sample(content, at: location)
    }

    @Test(
        "A place has the time of its nearest town in the table",
        arguments: [
            (14.79, 40.77, "IT", "Europe/Rome"), (13.77, 45.65, "IT", "Europe/Rome"),
            (-9.14, 38.72, "PT", "Europe/Lisbon"),
            (-25.67, 37.74, "PT", "Atlantic/Azores"), (-122.4, 37.8, "US", "America/Los_Angeles"),
            (-74.0, 40.7, "US", "America/New_York"), (-73.0, 40.2, nil, "America/New_York"),
            (-73.0, 40.2, "ZZ", "America/New_York"),
        ] as [(Double, Double, String?, String)]
    )
    func timeZone(lon: Double, lat: Double, country: String?, zone: String) throws {
        let point = try #require(Coordinate(lon: lon, lat: lat))
        #expect(try Self.pages().timeZones.zone(at: point, country: country).identifier == zone)
    }

    @Test("Pages, flyers and feeds show the time of the place, not of the server")
    func localTimes() throws {
        let listing = try Self.listing()
        #expect(try Self.html(listing).contains("1 July 2026 at 12:30"))
        let flyer = try Self.pages().localizer(.italian).flyer(of: listing, photo: nil, origin: "https://a.example")
        #expect(flyer.facts.contains { $0.value == "1 luglio 2026 alle ore 12:30" })
    }

    @Test("Flyers name two vets nearby, whose numbers are written as at home")
    func vets() throws {
        let point = try #require(Coordinate(lon: 14.79, lat: 40.77))
        let vets = [("Clinica San Matteo", "+39 089 123456"), (nil, "089 654321"), ("Third", "1")].map { name, phone in
            var vet = PointOfInterest(category: .veterinary, coordinate: point)
            (vet.name, vet.phone) = (name, phone)
            return HelpContact(poi: vet, country: "IT")
        }
        func facts(_ vets: [HelpContact]) throws -> [Flyer.Fact] {
            let localizer = try Self.pages().localizer(.italian)
            return try localizer.flyer(of: Self.listing(), photo: nil, vets: vets, origin: "https://a.example").facts
        }
        let label = "Veterinario qui vicino"
        let values = try facts(vets).filter { $0.label == label }.map(\.value)
        #expect(values == ["089 123456, Clinica San Matteo", "089 654321"])
        #expect(try !facts([]).contains { $0.label == label })
    }

    @Test("The page, flyers, pictures and links to share have the code of the listing, and the page keeps its address")
    func code() throws {
        let listing = try Self.listing()
        let (code, id) = (listing.code, listing.id.uuidString.lowercased())
        let html = try Self.html(listing, .italian)
        #expect(html.contains("<dt>Codice</dt><dd>\(code.grouped) "))
        let origin = "https://dogs.example.org"
        #expect(html.contains("<input readonly value=\"\(origin)/l/\(code.text)\">"))
        #expect(html.contains("<link rel=\"canonical\" href=\"\(origin)/listings/\(id)\">"))
        let shared = "https%3A%2F%2Fdogs.example.org%2Fl%2F\(code.text)"
        #expect(html.matches(of: try Regex(shared)).count == 3)
        let localizer = try Self.pages().localizer(.italian)
        #expect(localizer.flyer(of: listing, photo: nil, origin: origin).address == "\(origin)/l/\(code.text)")
        #expect(localizer.picture(of: listing, origin: origin).address == "dogs.example.org/l/\(code.text)")
    }

    @Test("Beside a mobile number that is public stands a link to WhatsApp, which reveals nothing to it")
    func whatsApp() throws {
        func links(_ number: String, isPublic: Bool = true, _ status: Listing.Status = .lost) throws -> [String] {
            let listing = try Self.listing { content in
                content.status = status
                content.contactPhone = .init(value: number, isPublic: isPublic)
            }
            let html = try Self.html(listing, .italian)
            return html.matches(of: /<a class="button noprint" href="https:\/\/wa\.me\/[^>]*>WhatsApp<\/a>/).map {
                String($0.output)
            }
        }
        let link =
            #"<a class="button noprint" href="https://wa.me/393331234567" rel="noopener noreferrer" target="_blank" aria-label="Scrivi su WhatsApp">WhatsApp</a>"#
        #expect(try links("+39 333 1234567") == [link])
        #expect(try links("+39 089 123456").isEmpty)
        #expect(try links("+39 333 1234567", isPublic: false).isEmpty)
        #expect(try links("+39 333 1234567", .reunited).isEmpty)
    }

    @Test(
        "Previews of shared links contain the date, and no time relative to now",
        arguments: [Language.english, .italian])
    func description(language: Language) throws {
        let listing = try Self.listing { $0[.colour] = "miele" }
        let html = try Self.html(listing, language)
        let match = try #require(try #/property="og:description" content="([^"]*)"/#.firstMatch(in: html))
        let expected = language == .italian ? "Quando: 1 luglio 2026" : "When: 1 July 2026"
        #expect(match.1 == "\(expected). Beagle. Miele.")
    }

    @Test("Long previews end with a whole word")
    func shortDescription() throws {
        let listing = try Self.listing { $0.description = String(repeating: "brown dog ", count: 50) }
        let html = try Self.html(listing)
        let match = try #require(try #/property="og:description" content="([^"]*)"/#.firstMatch(in: html))
        #expect(match.1.hasSuffix("dog…") || match.1.hasSuffix("brown…"))
        #expect(match.1.count <= 200)
    }

    @Test("The result of a photo search is in the page's language and never claims certainty")
    func photoResult() throws {
        var result = BoardResult(BoardFilters([:]))
        result.likely = [("Maltese", 0.9967), ("Clumber", 0.002), ("Beagle", 0.001)]
        let italian = try Self.html(.italian) { $0.board(result) }
        #expect(italian.contains("Maltese (99%), Clumber (1%) o Beagle (1%)"))
        #expect(try Self.html { $0.board(result) }.contains("Maltese (99%), Clumber (1%) or Beagle (1%)"))
    }

    @Test("Listings are written about as what they are", arguments: Listing.Status.open)
    func roles(status: Listing.Status) throws {
        let listing = try Self.listing(status)
        let own = try Self.html(listing, isOwner: true)
        let other = try Self.html(listing)
        // Nobody is asked so on the page of a new listing.
        #expect(!own.contains("Still searching"))
        let list = try Self.html { $0.myListings(filters: BoardFilters([:]), [(listing, 0)], next: nil) }
        #expect(list.contains("Still searching") == (status == .lost))
        #expect(own.contains("Home safe!") == (status == .lost))
        #expect(other.contains("Message the owner") == (status == .lost))
        #expect(other.contains("Message the finder") == (status == .found))
        #expect(!other.contains("The owner shows no phone"))
        #expect(!own.contains("/write"))
        #expect(!own.contains("No phone number shown"))
    }

    @Test("A flyer without contacts asks to scan its code", arguments: Language.allCases)
    func flyerWithoutContacts(language: Language) throws {
        let flyer = try Self.pages().localizer(language).flyer(
            of: try Self.listing(),
            photo: nil,
            origin: "https://a.example"
        )
        #expect(flyer.contacts.isEmpty)
        #expect(flyer.callToAction?.hasSuffix(":") == false)
    }

    @Test("Round distances have no decimals")
    func roundDistance() throws {
        #expect(try Self.pages().localizer(.italian).distance(1_000) == "1\u{A0}km")
        let british = try Localization(breeds: try Bundled.breeds(), site: "GB").localizer(.english)
        let miles = [50.0, 800, 1_609, 20_000].map(british.distance)
        #expect(miles == ["0.1\u{A0}mi", "0.5\u{A0}mi", "1\u{A0}mi", "12\u{A0}mi"])
        #expect(try Self.pages().localizer(.english).distance(2_340) == "2.3\u{A0}km")
    }

    @Test(
        "A listing without name and breed is headed by what was seen of the animal",
        arguments: [Language.english, .italian])
    func headline(language: Language) throws {
        func headline(_ change: (inout ListingContent) -> Void) throws -> String {
            let listing = try Self.listing {
                $0.breed = nil
                change(&$0)
            }
            let html = try Self.html(listing, language)
            return String(try #require(html.firstMatch(of: #/<h1>([^<]*)</#)).1)
        }
        let dog = language == .italian ? "Cane" : "Dog"
        #expect(try headline { _ in } == dog)
        let seen = try headline {
            $0.size = .small
            $0[.colour] = "Nero"
        }
        #expect(seen == "\(dog), \(language == .italian ? "taglia piccola" : "small size"), nero")
        #expect(try headline { $0[.colour] = String(repeating: "nero ", count: 9) } == dog)
        #expect(try headline { $0.name = "Argo" } == "Argo")
    }

    @Test(
        "Ages are told in whole words",
        arguments: [
            (0, "poco fa", "just now"), (120, "2 minuti fa", "2 minutes ago"), (86_400, "ieri", "yesterday"),
            (7 * 86_400, "1 settimana fa", "1 week ago"), (10 * 86_400, "1 settimana fa", "1 week ago"),
            (11 * 86_400, "2 settimane fa", "2 weeks ago"), (29 * 86_400, "4 settimane fa", "4 weeks ago"),
            (30 * 86_400, "1 mese fa", "1 month ago"), (40 * 86_400, "1 mese fa", "1 month ago"),
            (300 * 86_400, "10 mesi fa", "10 months ago"), (800 * 86_400, "2 anni fa", "2 years ago"),
        ])
    func ages(seconds: Int, italian: String, english: String) throws {
        let time = Timestamp.now.adding(seconds: -Double(seconds) - 5)
        #expect(try Self.pages().localizer(.italian).ago(time) == italian)
        #expect(try Self.pages().localizer(.english).ago(time) == english)
    }
}

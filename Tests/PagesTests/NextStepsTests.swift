import Domain
import Foundation
import Localization
import TestSupport
import Testing

@testable import Pages

@Suite("Steps after posting")
struct NextStepsTests {
    private static func vet(_ phone: String) throws -> HelpContact {
        let point = try #require(Coordinate(lon: 14.79, lat: 40.77))
        var poi = PointOfInterest(category: .veterinary, coordinate: point)
        poi.name = "Dr. Rossi"
        poi.phone = phone
        return HelpContact(poi: poi, country: "IT", distance: 1_234)
    }

    private static func html(
        _ status: Listing.Status,
        country: String,
        vets: [HelpContact] = [],
        _ language: Language
    ) throws -> String {
        var content = ListingContent()
        content.status = status
        let point = try #require(Coordinate(lon: 14.79, lat: 40.77))
        var location = ListingLocation(coordinate: point, approximate: true)
        location.countryCode = country
        let listing = Listing.sample(content, at: location)
        var context = ListingContext(isOwner: true)
        context.steps = (vets, [])
        let visit = PageContext(language: language, viewer: nil, origin: "https://dogs.example.org", address: "/")
        let pages = try Pages(Localization(breeds: try Bundled.breeds()), base: "")
        return String(decoding: pages.render(for: visit) { $0.listing(listing, context) }, as: UTF8.self)
    }

    @Test(
        "Authorities and the registry fit the country", arguments: [Listing.Status.lost, .found],
        [Language.english, .italian])
    func countries(status: Listing.Status, language: Language) throws {
        // Identifiers and times may contain the digits, too.
        let emergencyNumber = #/112 (is|è) /#
        let italian = try Self.html(status, country: "IT", language)
        #expect(italian.lowercased().contains("polizia locale") && italian.contains("ASL"))
        #expect(italian.contains(emergencyNumber))
        #expect(italian.contains("Anagrafe nazionale degli animali da compagnia"))
        #expect(!italian.contains("europetnet"))
        let other = try Self.html(status, country: "XX", language)
        #expect(!other.lowercased().contains("polizia locale") && !other.contains("ASL"))
        #expect(!other.contains(emergencyNumber))
        #expect(other.contains(#"href="https://www.europetnet.org" rel="noopener noreferrer""#))
    }

    @Test(
        "Whom to call, the law and the registries are those of the country",
        arguments: [
            (
                "DE", Listing.Status.found,
                "Call the lost property office (Fundbüro), the animal shelter (Tierheim) or the local police (Polizei).",
                "110 is only", "§ 965 BGB", "https://www.tasso.net"
            ),
            (
                "FR", .lost,
                "Call the town hall (mairie), the dog pound (fourrière) and the local police (commissariat, gendarmerie).",
                "112 is only", nil, "https://www.i-cad.fr"
            ),
            (
                "ES", .lost,
                "Call the municipal police (Policía Local), the town hall (ayuntamiento) and the animal shelter",
                "112 is only", "report the loss within 2 days", "https://www.reiac.es"
            ),
            (
                "BR", .found, "Call the town hall (prefeitura), animal control (Centro de Controle de Zoonoses) or",
                "190 is only",
                nil, "https://sinpatinhas.mma.gov.br"
            ),
            (
                "US", .found, "Call animal control or the animal shelter.", "911 is only", nil,
                "https://www.petmicrochiplookup.org"
            ),
            (
                "JP", .lost, "Call the local police, the town hall and the public veterinary service.",
                "The emergency number is only", nil, "https://www.europetnet.org"
            ),
        ] as [(String, Listing.Status, String, String, String?, String)]
    )
    func authorities(
        country: String,
        status: Listing.Status,
        calls: String,
        emergency: String,
        law: String?,
        registry: String
    ) throws {
        let html = try Self.html(status, country: country, .english)
        #expect(html.contains(calls) && html.contains(emergency))
        #expect(html.contains(#"href="\#(registry)" rel="noopener noreferrer""#))
        #expect(law.map(html.contains) ?? !html.contains("By law"))
    }

    @Test("A reader of the country's language is not told the names twice")
    func ownLanguage() throws {
        let html = try Self.html(.found, country: "DE", Language(rawValue: "de") ?? .english)
        #expect(html.contains("Ruf das Fundbüro, das Tierheim oder die örtliche Polizei an."))
        #expect(html.contains("Das Gesetz verpflichtet alle, die ein Tier finden, den Fund zu melden:"))
    }

    @Test("The first of several numbers is called, and without any number the page says how to find one")
    func numbers() throws {
        let known = try Self.html(.lost, country: "IT", vets: [try Self.vet("089/123456;+39 333 1234567")], .english)
        #expect(known.contains(#"href="tel:+39089123456""#) && known.contains("<span>089 123456</span>"))
        #expect(known.contains("Dr. Rossi") && known.contains("1.2\u{A0}km"))
        #expect(!known.contains("know any nearby"))
        #expect(try Self.html(.lost, country: "IT", .english).contains("know any nearby"))
    }

    @Test("Links to other services contain the address of the listing, percent-encoded")
    func sharing() throws {
        let html = try Self.html(.lost, country: "IT", .english)
        #expect(html.contains("https://wa.me/?text=Lost%3A%20Dog%20"))
        #expect(html.contains("https://t.me/share/url?url=https%3A%2F%2Fdogs.example.org%2Fl%2F"))
        #expect(
            html.contains("https://www.facebook.com/sharer/sharer.php?u=https%3A%2F%2Fdogs.example.org%2Fl%2F")
        )
    }
}

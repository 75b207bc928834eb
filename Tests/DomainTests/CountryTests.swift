import Foundation
import Testing

@testable import Domain

@Suite("Countries")
struct CountryTests {
    @Test("The table has the countries of most readers, each of which exists and names somebody to call")
    func rows() {
        let codes = Set(Country.all.keys).subtracting(["other"])
        let expected =
            "IT DE AT CH FR BE LU ES PT BR GB IE NL US CA AU NZ AR MX CL CO PL".split(separator: " ").map(String.init)
        #expect(codes.isSuperset(of: expected))
        #expect(codes.isSubset(of: Locale.Region.isoRegions.map(\.identifier)))
        for code in codes {
            let country = Country(code)
            #expect(!country.authorities.isEmpty && !country.registries.isEmpty, "\(code)")
            #expect(Set(country.authorities.map(\.kind)).count == country.authorities.count, "\(code)")
        }
    }

    @Test("Addresses are those of secure pages, and days are whole numbers")
    func addresses() {
        for row in Bundle.module.table("countries").rows {
            let (fact, detail, address) = (row[1], row[3], String(row[4]))
            #expect(address.isEmpty || URL(string: address)?.host() != nil && address.hasPrefix("https://"), "\(row)")
            #expect(!["registry", "finder", "owner"].contains(fact) || !address.isEmpty, "\(row)")
            #expect(fact != "owner" || Int(detail) ?? 0 > 1, "\(row)")
        }
    }

    @Test("A country without rows has those of all others, and one without a registry has the international ones")
    func others() {
        #expect(Country("JP") == Country(nil))
        #expect(Country(nil).authorities.map(\.kind) == [.police, .townHall, .publicVets])
        #expect(Country("AR").registries == Country.internationalRegistries)
        #expect(Country("AR").emergencyNumber == "911" && Country(nil).emergencyNumber == nil)
    }

    @Test("Numbers of emergencies are dialled, and distances are in miles in two countries")
    func units() {
        for (code, country) in Country.all {
            #expect(country.emergencyNumber?.allSatisfy(\.isASCIIDigit) != false, "\(code)")
        }
        #expect(Set(Country.all.filter(\.value.hasMiles).keys) == ["GB", "US"])
    }

    @Test(
        "Invented data are in the language of the country, or in English",
        arguments: [
            ("IT", "it"), ("DE", "de"), ("AT", "de"), ("FR", "fr"), ("BE", "fr"), ("ES", "es"), ("MX", "es"),
            ("BR", "pt"), ("PT", "pt"),
            ("US", "en"), ("JP", "en"),
        ]
    )
    func languages(code: String, language: String) { #expect(Country.language(of: code).code == language) }

    @Test("Invented telephone numbers are international, and differ by a digit where nobody has them")
    func numbers() throws {
        for code in ["IT", "FR", "AT", "BR", "US", "JP"] {
            #expect(try #require(Country.inventedNumber(in: code, digit: 3)).hasPrefix("+"), "\(code)")
        }
        #expect(Country.inventedNumber(in: "IT", digit: 3) == "+39 02 0000 0003")
        #expect(Country.inventedNumber(in: "US", digit: 3) == "+1 201-555-0103")
        #expect(Country.inventedNumber(in: "AQ", digit: 3) == nil)
    }
}

import Domain
import OpenStreetMap
import Testing

@Suite("OpenStreetMap tags")
struct TagTests {
    func point(_ tags: [String: String]) throws -> PointOfInterest? {
        func escaped(_ text: String) -> String {
            text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("\n", with: "&#10;")
        }
        let list = tags.map { "<tag k=\"\(escaped($0.key))\" v=\"\(escaped($0.value))\"/>" }.joined()
        return try read("<osm><node id='1' lat='1' lon='1'>\(list)</node></osm>").points.first
    }

    @Test(
        "Tags determine the category",
        arguments: [
            (["amenity": "veterinary"], .veterinary), (["shop": "pet"], .petShop),
            (["amenity": "animal_shelter"], .animalShelter), (["amenity": "animal_boarding"], .animalBoarding),
            (["shop": "pet_grooming"], .grooming), (["shop": "dog_grooming"], .grooming),
            (["leisure": "dog_park"], .dogPark), (["shop": "pet", "pet_grooming": "yes"], .petShop),
            (["amenity": "veterinary;clinic"], .veterinary), (["amenity": "clinic ; veterinary"], .veterinary),
            (["shop": "pet", "amenity": "veterinary"], .veterinary), (["shop": "pet;pet_grooming"], .petShop),
            (["shop": "pet", "disused": "no"], .petShop),
        ] as [([String: String], PointOfInterest.Category)]
    )
    func category(tags: [String: String], category: PointOfInterest.Category) throws {
        #expect(try point(tags)?.category == category)
    }

    @Test(
        "Tags of other places and of disused places give no category",
        arguments: [
            ["shop": "petrol"], ["amenity": "veterinary_school"], ["disused:amenity": "veterinary"],
            ["abandoned:shop": "pet"], ["shop": "pet", "disused": "yes"], ["shop": "pet", "abandoned": "yes"],
            ["name": "veterinary"], ["shop": ";"], ["shop": ""], ["office": "veterinary"],
        ]
    )
    func none(tags: [String: String]) throws {
        #expect(try point(tags) == nil)
    }

    @Test("Name, address, phone, website and opening hours are read")
    func attributes() throws {
        let point = try #require(
            try point([
                "shop": "pet", "name": " Zampa\nFelice ", "addr:street": "Via Roma", "addr:housenumber": "3/A",
                "addr:postcode": "84084", "addr:city": "Fisciano", "phone": "+39 089 000000",
                "website": "https://example.org/a?b=c&d=e", "opening_hours": "Mo-Sa 09:00-13:00",
            ])
        )
        #expect(point.name == "Zampa Felice")
        #expect(point.street == "Via Roma")
        #expect(point.houseNumber == "3/A")
        #expect(point.postalCode == "84084")
        #expect(point.city == "Fisciano")
        #expect(point.phone == "+39 089 000000")
        #expect(point.website == "https://example.org/a?b=c&d=e")
        #expect(point.openingHours == "Mo-Sa 09:00-13:00")
    }

    @Test("Alternative tags replace missing or blank ones")
    func fallbacks() throws {
        let branded = try point([
            "shop": "pet", "name": " ", "brand": "Zoo", "operator": "Zoo Ltd", "contact:phone": "1",
            "url": "example.org",
        ])
        #expect(branded?.name == "Zoo")
        #expect(branded?.phone == "1")
        #expect(branded?.website == "https://example.org")
        let operated = try point([
            "shop": "pet", "operator": "Zoo Ltd", "mobile": "2", "contact:website": "HTTP://a.it",
        ])
        #expect(operated?.name == "Zoo Ltd")
        #expect(operated?.phone == "2")
        #expect(operated?.website == "HTTP://a.it")
    }

    @Test(
        "Only valid http and https addresses are accepted as websites",
        arguments: [
            ("www.vet.it", "https://www.vet.it"), ("vet.it/shop", "https://vet.it/shop"),
            ("https://a.it;https://b.it", "https://a.it"), ("javascript:alert(1)", nil), ("ftp://a.it", nil),
            ("javascript://a.it/%0aalert(1)", nil), ("yes", nil), ("two words.it", nil), ("https://", nil),
            ("https://user:secret@a.it", nil), ("mailto:me@a.it", nil), ("a..it", nil),
            ("https://a.it/" + String(repeating: "a", count: 300), nil),
        ] as [(String, String?)]
    )
    func websites(value: String, website: String?) throws {
        #expect(try point(["shop": "pet", "website": value])?.website == website)
    }

    @Test("The length of texts is limited, also if they consist of one character")
    func bounds() throws {
        let name = try point(["shop": "pet", "name": "e" + String(repeating: "\u{301}", count: 5000)])?.name
        #expect(name?.unicodeScalars.count == 300)
    }
}

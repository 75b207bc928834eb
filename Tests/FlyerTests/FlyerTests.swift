import Flyer
import Foundation
import Testing

@Suite("Rendered flyers", .enabled(if: Tool.areAvailable, "needs poppler-utils and zbar-tools"))
struct FlyerTests {
    @Test("A flyer is one A4 page with title, text and link, and without a creation date")
    func content() throws {
        let printed = try PrintedFlyer(Flyers.argo)
        let information = try printed.information()
        #expect(information.contains(/Title: +SMARRITO – Argo\n/))
        #expect(information.contains(/Pages: +1\n/))
        #expect(information.contains(/Page size: .*\(A4\)/))
        #expect(!information.contains("CreationDate"))
        #expect(try printed.information("-url").contains(Flyers.address))
        let text = try printed.text()
        let facts = Flyers.argo.facts.flatMap { [$0.label, $0.value] }
        for words in ["SMARRITO", "Argo", "non rincorretelo.", Flyers.address] + facts + Flyers.argo.contacts {
            #expect(text.contains(words))
        }
    }

    @Test("The QR code consists of vector shapes and contains the address", arguments: [1, 20, 60, 300])
    func code(length: Int) throws {
        var flyer = Flyers.argo
        flyer.address = "https://example.org/" + String(repeating: "a", count: length)
        let printed = try PrintedFlyer(flyer)
        #expect(try printed.scan() == flyer.address)
        #expect(try printed.images().isEmpty)
    }

    @Test("The PDF contains the unchanged bytes of the JPEG, and the QR code beside it is readable")
    func photo() async throws {
        var flyer = Flyers.argo
        for (width, height) in [(1600, 1200), (900, 1600), (1600, 300), (200, 1600)] {
            flyer.photo = try await Flyers.photo(width: width, height: height)
            let printed = try PrintedFlyer(flyer)
            #expect(try printed.images() == [flyer.photo])
            #expect(try printed.scan() == flyer.address)
        }
    }

    @Test(
        "A photo covers nearly half of the page",
        arguments: [(1600, 1200), (1600, 1067), (1200, 1200), (1200, 1600)]
    )
    func photoSize(width: Int, height: Int) async throws {
        var flyer = Flyers.argo
        flyer.photo = try await Flyers.photo(width: width, height: height)
        let share = try PrintedFlyer(flyer).page(resolution: 50).share(where: Flyers.isPhoto)
        // Pixels at the edges mix the photo with the background.
        #expect(share > (width > height ? 0.445 : 0.40))
    }

    @Test(
        "Margins of 10 mm stay white and the QR code stays readable with any text",
        arguments: Flyers.hostile.indices
    )
    func margins(index: Int) async throws {
        for photo in [nil, try await Flyers.photo(width: 1600, height: 1200)] {
            var flyer = Flyers.spoiled(by: Flyers.hostile[index], photo: photo)
            flyer.map = try Flyers.map()
            for format in Flyer.Format.allCases {
                let printed = try PrintedFlyer(flyer, format)
                #expect(try printed.page(resolution: 51).isBlank(margin: 19), "\(format)")
                #expect(try printed.information().contains(/Pages: +1\n/), "\(format)")
                #expect(try printed.scan() == Flyers.address, "\(format)")
            }
        }
    }

    @Test(
        "Every format is one page of its size with all texts and a readable code",
        arguments: [
            (.a4, "595.276 x 841.89"), (.a4Strips, "595.276 x 841.89"), (.a5, "419.528 x 595.276"),
            (.square, "595.276 x 595.276"),
        ] as [(Flyer.Format, String)]
    )
    func formats(format: Flyer.Format, size: String) async throws {
        var flyer = Flyers.argo
        flyer.reward = "Ricompensa: 50 euro"
        for photo in [nil, try await Flyers.photo(width: 1600, height: 1200)] {
            flyer.photo = photo
            let printed = try PrintedFlyer(flyer, format)
            let information = try printed.information()
            #expect(information.contains(/Pages: +1\n/))
            #expect(information.firstMatch(of: /Page size: +([0-9.]+ x [0-9.]+) pts/)?.1 == size[...])
            #expect(try printed.scan() == flyer.address)
            #expect(try printed.images() == [photo].compactMap(\.self))
            let text = try printed.text()
            let facts = flyer.facts.flatMap { [$0.label, $0.value] }
            for words in ["SMARRITO", "Argo", "Ricompensa: 50 euro", "Collare rosso"] + facts + flyer.contacts {
                #expect(text.contains(words), "\(words)")
            }
        }
    }

    @Test(
        "A map is on the flyer with its authors, beside all texts and a readable code",
        arguments: Flyer.Format.allCases)
    func map(format: Flyer.Format) async throws {
        var flyer = Flyers.argo
        flyer.map = try Flyers.map()
        for photo in [nil, try await Flyers.photo(width: 1600, height: 1200)] {
            flyer.photo = photo
            let printed = try PrintedFlyer(flyer, format)
            let share = try printed.page(resolution: 50).share(where: Flyers.isMap)
            // Beside a photo, not every format has room for it.
            let hasRoom = photo == nil || format == .a4
            if hasRoom { #expect(share > (photo == nil ? 0.05 : 0.02), "\(share)") }
            let text = try printed.text()
            #expect(text.contains("© OpenStreetMap") == (share > 0))
            for fact in flyer.facts { #expect(text.contains(fact.value), "\(fact.value)") }
            #expect(try printed.scan() == flyer.address)
        }
    }

    @Test("A photo beside a map is as high as the map, and a map alone is narrower")
    func photoAndMap() throws {
        let photo = Picture.Photo(width: 2, height: 1, pixels: [255, 0, 0, 255, 0, 0])
        for (photo, width) in [(photo, 540), (nil, 360)] as [(Picture.Photo?, Int)] {
            let png = try PhotoAndMap(photo: photo, map: try Flyers.map(), status: .lost).png()
            // Width and height in the header chunk (PNG, 11.2.2).
            let size: [UInt8] = [0, 0, UInt8(width >> 8), UInt8(width & 255), 0, 0, 0, 240]
            #expect(Array(png[16..<24]) == size)
        }
    }

    @Test("Each strip to tear off has the name, the telephone number and then the address")
    func strips() throws {
        let printed = try PrintedFlyer(Flyers.argo, .a4Strips)
        let text = try printed.text()
        #expect(text.matches(of: /\+39 333 123 4567/).count == 1 + 9)
        #expect(text.matches(of: /SMARRITO – Argo/).count == 9)
        #expect(text.matches(of: /dogs\.example\.org\/l\/7KF3M2Q/).count == 1 + 9)
        // The text of a strip is turned, so that its lines stand beside each other.
        let columns = try ["Argo", "4567", "7KF3M2Q"].map { ending in
            try printed.places(of: ending).filter { $0.top > Flyers.topOfStrips }.map(\.left)
        }
        #expect(columns.map(\.count) == [9, 9, 9])
        for (name, (number, address)) in zip(columns[0], zip(columns[1], columns[2])) {
            #expect(name < number && number < address && address < name + 60)
        }
    }

    @Test("A strip has the whole telephone number beside a long address, and no text is smaller than 8 points")
    func stripsWithLongAddress() throws {
        var flyer = Flyers.argo
        flyer.address = "https://animali-smarriti.comune.castelnuovo-cilento.example.org/l/7KF3M2Q"
        let printed = try PrintedFlyer(flyer, .a4Strips)
        let text = try printed.text()
        #expect(text.matches(of: /\+39 333 123 4567/).count == 1 + 9)
        #expect(text.matches(of: /7KF3M2Q/).count == 1 + 9)
        #expect(try printed.smallestText() >= 8)
    }

    @Test("The QR code of a short address has larger modules than that of a long one")
    func modules() throws {
        let long = "https://dogs.example.org/listings/0198c7a2-55d1-7c3e-9f10-3a5b6c7d8e9f"
        #expect(try QRCode(Flyers.address).side == 29 && QRCode(long).side == 37)
    }

    @Test("Without contacts, each strip to tear off has the address and a code")
    func stripsWithoutContacts() throws {
        var flyer = Flyers.argo
        flyer.contacts = []
        let printed = try PrintedFlyer(flyer, .a4Strips)
        let text = try printed.text().replacing(" ", with: "")
        // The flyer itself has the address with its scheme.
        #expect(text.matches(of: /dogs\.example\.org\/l\/7KF3M2Q/).count == 1 + 9)
        let codes = try printed.codes()
        #expect(codes == Array(repeating: Flyers.address, count: 1 + 9), "\(codes)")
    }

    @Test(
        "Long texts end with a whole word and an ellipsis, and none is smaller than 8 points",
        arguments: Flyer.Format.allCases
    )
    func longTexts(format: Flyer.Format) async throws {
        let long = String(repeating: "dolcissimo ", count: 300)
        for photo in [nil, try await Flyers.photo(width: 1600, height: 1200)] {
            let printed = try PrintedFlyer(Flyers.spoiled(by: long, photo: photo), format)
            let words = try printed.text().split(separator: " ").filter { $0.hasPrefix("dol") }
            #expect(words.contains("dolcissimo…"))
            #expect(Set(words).isSubset(of: ["dolcissimo", "dolcissimo…"]))
            #expect(try printed.smallestText() >= 8)
        }
    }

    @Test("The reward is set in large letters on a band of its own")
    func reward() throws {
        var flyer = Flyers.argo
        flyer.reward = "Ricompensa: 50 euro"
        let isYellow = { (pixel: [Int]) in pixel[0] > 240 && pixel[1] > 200 && pixel[2] < 60 }
        #expect(try PrintedFlyer(flyer).page(resolution: 50).share(where: isYellow) > 0.015)
        #expect(try PrintedFlyer(Flyers.argo).page(resolution: 50).share(where: isYellow) == 0)
    }

    @Test("A description that is too long does not change the rest of the page")
    func longDescription() throws {
        var flyer = Flyers.argo
        flyer.description = (1...2000).map(String.init).joined(separator: " ")
        let text = try PrintedFlyer(flyer).text()
        #expect(text.contains("1 2 3 4 5") && !text.contains("1999"))
        for fact in flyer.facts { #expect(text.contains(fact.value)) }
    }

    @Test("A page in a right-to-left script is mirrored")
    func mirrored() throws {
        var flyer = Flyers.argo
        #expect(try #require(try PrintedFlyer(flyer).places(of: flyer.address).first).left > 200)
        flyer.headline = "مفقود"
        #expect(try #require(try PrintedFlyer(flyer).places(of: flyer.address).first).left < 30)
    }
}

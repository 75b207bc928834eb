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
            let printed = try PrintedFlyer(Flyers.spoiled(by: Flyers.hostile[index], photo: photo))
            #expect(try printed.page(resolution: 51).isBlank(margin: 19))
            #expect(try printed.information().contains(/Pages: +1\n/))
            #expect(try printed.scan() == Flyers.address)
        }
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
        #expect(try #require(try PrintedFlyer(flyer).left(of: flyer.address)) > 200)
        flyer.headline = "مفقود"
        #expect(try #require(try PrintedFlyer(flyer).left(of: flyer.address)) < 30)
    }
}

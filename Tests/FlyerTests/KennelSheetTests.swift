import Flyer
import Foundation
import Testing

@Suite("Sheets of kennels", .enabled(if: Tool.areAvailable, "needs poppler-utils and zbar-tools"))
struct KennelSheetTests {
    private static let argo = KennelSheet(
        name: "Argo",
        reference: "C-2026/117",
        facts: [
            Flyer.Fact("Razza", "Beagle"), Flyer.Fact("Microchip", "380260000000001"),
            Flyer.Fact("Arrivo", "30 novembre"),
        ],
        notes: "Mangia solo di sera.",
        notesHeading: "Note",
        address: Flyers.address,
        language: .italian
    )

    @Test(
        "A sheet is one page with name, reference, facts, notes and a readable code",
        arguments: KennelSheet.Format.allCases)
    func content(format: KennelSheet.Format) async throws {
        for photo in [nil, try await Flyers.photo(width: 1200, height: 900)] {
            var sheet = Self.argo
            sheet.photo = photo
            let printed = try PrintedFlyer(pdf: sheet.pdf(format))
            let information = try printed.information()
            #expect(information.contains(/Pages: +1\n/))
            #expect(information.contains(format == .a5 ? /Page size: .*419\.\d+ x 595/ : /Page size: .*297\.\d+ x 419/))
            let text = try printed.text()
            for words in ["Argo", "C-2026/117", "Beagle", "380260000000001", "30 novembre", "sera.", "Note"] {
                #expect(text.contains(words))
            }
            #expect(try printed.codes() == [Flyers.address])
            #expect(try printed.images() == [photo].compactMap(\.self))
        }
    }

    @Test("Long and hostile texts stay on the page", arguments: KennelSheet.Format.allCases)
    func hostile(format: KennelSheet.Format) throws {
        var sheet = Self.argo
        let long = String(repeating: "Ein sehr langer Text \u{202E}<b>\u{0} ", count: 200)
        (sheet.name, sheet.reference, sheet.notes, sheet.notesHeading) = (long, long, long, long)
        sheet.facts = Array(repeating: Flyer.Fact(long, long), count: 30)
        let printed = try PrintedFlyer(pdf: sheet.pdf(format))
        #expect(try printed.information().contains(/Pages: +1\n/))
        #expect(try printed.codes() == [Flyers.address])
        #expect(try printed.page(resolution: 72).isBlank(margin: 27))
    }
}

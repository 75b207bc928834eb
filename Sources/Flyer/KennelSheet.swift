package import Domain
package import Foundation

/// A small sheet for the door of a kennel: who the animal is, and lines for notes by hand.
///
/// The caller supplies all texts in the language of the sheet, as for `Flyer`.
package struct KennelSheet: Equatable, Sendable {
    /// The raw values are those of the query parameter `format`.
    package enum Format: String, CaseIterable, Sendable {
        case a5, a6

        var page: Box {
            switch self {
            case .a5: Box(x: 0, y: 0, width: mm(148), height: mm(210))
            case .a6: Box(x: 0, y: 0, width: mm(105), height: mm(148))
            }
        }

        /// The sizes of letters and of the code, as a share of those on A5.
        fileprivate var scale: Double { self == .a5 ? 1 : 0.7 }
    }

    package var name: String
    /// The organisation's own reference.
    package var reference: String?
    package var facts: [Flyer.Fact]
    package var notes: String?
    /// The heading of the lines for notes by hand.
    package var notesHeading: String
    /// As that of `Flyer`.
    package var photo: Data?
    /// The web address of the listing, printed as text and as a QR code.
    package var address: String
    package var language: Language

    package init(
        name: String,
        reference: String? = nil,
        facts: [Flyer.Fact],
        notes: String? = nil,
        notesHeading: String,
        photo: Data? = nil,
        address: String,
        language: Language
    ) {
        (self.name, self.reference, self.facts) = (name, reference, facts)
        (self.notes, self.notesHeading, self.photo) = (notes, notesHeading, photo)
        (self.address, self.language) = (address, language)
    }

    /// Returns a PDF of one page. The same sheet always produces the same bytes.
    ///
    /// - Throws: `FlyerError`.
    package func pdf(_ format: Format = .a5) throws -> Data {
        let photo = try photo.map(Photo.init)
        let code = try QRCode(address)
        return try Canvas.draw(.pdf, format.page, title: title, language: language) {
            Layout(sheet: self, scale: format.scale, photo: photo, code: code, canvas: $0).draw()
        }
    }

    private var title: String {
        [name, reference ?? ""].map { $0.singleLine(limit: 200) }.filter { !$0.isEmpty }.joined(separator: " – ")
    }
}

extension KennelSheet {
    /// The name and the reference, the photo, the facts, and at the bottom lines for notes beside the code.
    private struct Layout {
        let sheet: KennelSheet
        let scale: Double
        let photo: Photo?
        let code: QRCode
        let canvas: Canvas

        func draw() {
            var page = canvas.content
            drawHeading(in: page.cutTop(44 * scale, gap: 6))
            drawAddress(in: page.cutBottom(12, gap: 3))
            drawNotes(in: page.cutBottom(codeSide, gap: 10 * scale))
            if let photo {
                let frame = photo.frame(width: page.width, height: page.height * 0.55)
                let strip = page.cutTop(frame.height, gap: 8 * scale)
                canvas.draw(photo, in: strip.centred(width: frame.width, height: frame.height))
            }
            FlyerText(sheet.facts, sheet.notes, largest: 20 * scale, on: canvas).draw(in: page)
        }

        private var codeSide: Double { mm(38) * scale }

        private func drawHeading(in row: Box) {
            var row = row
            if let reference = sheet.reference?.singleLine(limit: 80), !reference.isEmpty {
                let style = TextStyle(weight: .bold, sizes: 9...(24 * scale), alignment: .end)
                canvas.writeMiddle(reference, style, in: row.cutRight(row.width * 0.35, gap: 8))
            }
            canvas.writeMiddle(
                sheet.name.singleLine(limit: 200), TextStyle(weight: .black, sizes: 12...(36 * scale)), in: row)
        }

        private func drawNotes(in row: Box) {
            var row = row
            canvas.draw(code, in: row.cutRight(codeSide, gap: 12 * scale))
            let style = TextStyle(weight: .bold, sizes: 9...9, colour: .grey)
            canvas.write(sheet.notesHeading.singleLine(limit: 60), style, in: row.cutTop(12))
            while row.height >= Self.lineHeight {
                _ = row.cutTop(Self.lineHeight)
                canvas.dashedLine(in: Box(x: row.x, y: row.y, width: row.width, height: 0))
            }
        }

        /// 7 mm, as in exercise books.
        private static let lineHeight = mm(7)

        private func drawAddress(in row: Box) {
            canvas.link(to: sheet.address) {
                let style = TextStyle(weight: .bold, sizes: 7...10, alignment: .end)
                canvas.write(sheet.address.singleLine(limit: 400), style, in: row)
            }
        }
    }
}

/// The layout of a flyer: a band with the headline, the name, the photo with facts and QR code below or beside it, the
/// address, a band with the contacts.
struct FlyerLayout {
    let flyer: Flyer
    let photo: Photo?
    let code: QRCode
    let canvas: Canvas

    func draw() {
        var page = Box.content
        drawHeadline(in: page.cutTop(64, gap: 6))
        drawContacts(takingFrom: &page)
        drawAddress(in: page.cutBottom(11, gap: 3))
        drawName(takingFrom: &page)
        if let photo {
            draw(photo, in: page)
        } else {
            drawRow(in: page)
        }
    }

    // MARK: Bands

    private func drawHeadline(in band: Box) {
        canvas.fill(band, flyer.status.colour)
        let style = TextStyle(weight: .black, sizes: 12...66, colour: .white, alignment: .centre)
        canvas.writeMiddle(flyer.headline.singleLine(limit: 100), style, in: band.inset(12, 2))
    }

    private func drawContacts(takingFrom page: inout Box) {
        let rows = contactRows.map { row in
            let block = TextBlock(row.text, row.style, on: canvas)
            block.fit(width: page.width - 24, height: row.style.sizes.upperBound * 1.25)
            return block
        }
        guard !rows.isEmpty else { return }
        var band = page.cutBottom(rows.reduce(10) { $0 + $1.height }, gap: 6)
        canvas.fill(band, flyer.status.colour)
        band = band.inset(12, 5)
        for row in rows { canvas.draw(row, in: band.cutTop(row.height)) }
    }

    private var contactRows: [(text: String, style: TextStyle)] {
        let contacts = flyer.contacts.prefix(5).map { $0.singleLine(limit: 200) }.filter { !$0.isEmpty }
        return [
            (flyer.callToAction?.singleLine(limit: 200) ?? "", bandStyle(.bold, largest: 16)),
            (contacts.first ?? "", bandStyle(.black, largest: 44)),
            (contacts.dropFirst().joined(separator: "   ·   "), bandStyle(.bold, largest: 15)),
        ].filter { !$0.0.isEmpty }
    }

    private func bandStyle(_ weight: TextStyle.Weight, largest: Double) -> TextStyle {
        TextStyle(weight: weight, sizes: 8...largest, colour: .white, alignment: .centre)
    }

    // MARK: Between the bands

    private func drawAddress(in row: Box) {
        let style = TextStyle(weight: .bold, sizes: 5...9, alignment: .end)
        canvas.link(to: flyer.address) {
            canvas.write(flyer.address.singleLine(limit: 400), style, in: row)
        }
    }

    private func drawName(takingFrom page: inout Box) {
        guard let name = flyer.name?.singleLine(limit: 200), !name.isEmpty else { return }
        let height = photo == nil ? 100.0 : 50
        let style = TextStyle(weight: .black, sizes: 12...(height / 1.2), alignment: .centre)
        canvas.writeMiddle(name, style, in: page.cutTop(height, gap: 5))
    }

    private func draw(_ photo: Photo, in main: Box) {
        let below = photo.frame(width: main.width, height: main.height - max(codeSide + 2 * quiet, minStrip))
        let beside = photo.frame(width: main.width - codeSide - gutter, height: main.height)
        var rest = main
        if below.area >= beside.area {
            let strip = rest.cutTop(below.height, gap: 8)
            canvas.draw(photo, in: strip.centred(width: below.width, height: below.height))
            drawRow(in: rest)
        } else {
            var strip = rest.cutLeft(beside.width, gap: gutter)
            canvas.draw(photo, in: strip.cutTop(beside.height))
            drawColumn(in: rest)
        }
    }

    private func drawRow(in box: Box) {
        var text = box
        let right = text.cutRight(codeSide, gap: gutter)
        FlyerText(flyer, on: canvas).draw(in: text)
        drawCode(atBottomOf: right)
    }

    private func drawColumn(in box: Box) {
        var text = box
        let bottom = text.cutBottom(codeSide + quiet, gap: quiet)
        FlyerText(flyer, on: canvas).draw(in: text)
        drawCode(atBottomOf: bottom)
    }

    private func drawCode(atBottomOf box: Box) {
        var box = box
        _ = box.cutBottom(quiet)
        var square = box.cutBottom(codeSide)
        canvas.draw(code, in: square.cutRight(codeSide))
    }

    /// The minimum height in points that facts and description need to be readable.
    private let minStrip = 116.0

    private var codeSide: Double { photo == nil ? mm(45) : mm(32) }
    private var quiet: Double { QRCode.quietZone * codeSide / Double(code.side) }
    private var gutter: Double { max(quiet, 12) }
}

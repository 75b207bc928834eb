/// The layout of a flyer: a band with the headline, another with the reward, the name, the photo with facts and QR code
/// below or beside it, the address, a band with the contacts, strips to tear off.
struct FlyerLayout {
    let flyer: Flyer
    let format: Flyer.Format
    let photo: Photo?
    let code: QRCode
    let canvas: Canvas

    func draw() {
        var page = canvas.content
        if format == .a4Strips {
            let strips = TearOffStrips(flyer: flyer, code: code, canvas: canvas)
            strips.draw(in: page.cutBottom(TearOffStrips.height, gap: 8))
        }
        drawHeadline(in: page.cutTop(64 * scale))
        drawReward(takingFrom: &page)
        _ = page.cutTop(6)
        drawContacts(takingFrom: &page)
        drawAddress(in: page.cutBottom(14, gap: 3))
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
        let style = TextStyle(weight: .black, sizes: 12...(66 * scale), colour: .white, alignment: .centre)
        canvas.writeMiddle(flyer.headline.singleLine(limit: 100), style, in: band.inset(12, 2))
    }

    private func drawReward(takingFrom page: inout Box) {
        guard let reward = flyer.reward?.singleLine(limit: 200), !reward.isEmpty else { return }
        let band = page.cutTop(36 * scale)
        canvas.fill(band, .yellow)
        let style = TextStyle(weight: .black, sizes: 12...(28 * scale), alignment: .centre)
        canvas.writeMiddle(reward, style, in: band.inset(12, 1))
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
        TextStyle(weight: weight, sizes: 9...(largest * scale), colour: .white, alignment: .centre)
    }

    // MARK: Between the bands

    private func drawAddress(in row: Box) {
        let style = TextStyle(weight: .bold, sizes: 8...12, alignment: .end)
        canvas.link(to: flyer.address) {
            canvas.write(flyer.address.singleLine(limit: 400), style, in: row)
        }
    }

    private func drawName(takingFrom page: inout Box) {
        guard let name = flyer.name?.singleLine(limit: 200), !name.isEmpty else { return }
        let height = (photo == nil && format == .a4 ? 100 : 50) * scale
        let style = TextStyle(weight: .black, sizes: 12...(height / 1.2), alignment: .centre)
        canvas.writeMiddle(name, style, in: page.cutTop(height, gap: 5))
    }

    private func draw(_ photo: Photo, in main: Box) {
        let below = photo.frame(width: main.width, height: main.height - stripHeight(in: main))
        let beside = photo.frame(width: main.width - columnWidth(in: main) - gutter, height: main.height)
        var rest = main
        // Below a wide photo, the text has longer lines and leaves no corner empty.
        if below.area >= beside.area * (photo.width > photo.height ? 0.8 : 1) {
            let strip = rest.cutTop(below.height, gap: gap)
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

    /// The height of the strip below the photo: what facts, description and code need, but not most of the room.
    private func stripHeight(in main: Box) -> Double {
        let text = FlyerText(flyer, on: canvas).smallestHeight(width: main.width - codeSide - gutter)
        return max(codeSide + 2 * quiet, min(max(text + gap, 116), main.height * 0.45))
    }

    /// The width of the column beside the photo. In low areas it has room for two columns of facts.
    private func columnWidth(in main: Box) -> Double {
        max(codeSide, mm(main.width > main.height * 1.3 ? 64 : 50) * scale)
    }

    private let gap = 8.0

    /// The size of the bands and of large text, relative to A4.
    private var scale: Double { canvas.page.width / mm(210) }
    private var codeSide: Double { photo == nil && format == .a4 ? mm(45) : mm(32) }
    private var quiet: Double { QRCode.quietZone * codeSide / Double(code.side) }
    private var gutter: Double { max(quiet, 12) }
}

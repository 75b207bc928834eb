/// The layout of a flyer: a band with the headline, another with the reward, the name, the photo with facts, map and QR code
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
        let words = FlyerText(flyer, on: canvas)
        let half = (text.width - gap) / 2
        if photo == nil, let map = flyer.map, words.smallestHeight(width: half) <= text.height {
            var column = text.cutRight(half, gap: gap)
            var code = column.cutBottom(codeSide + quiet, gap: gap)
            let size = fitted(in: column)
            draw(map, in: column.cutTop(size.height).centred(width: size.width, height: size.height))
            words.draw(in: text)
            return drawCode(atBottomOf: code.cutRight(codeSide))
        }
        let right = text.cutRight(codeSide, gap: gutter)
        let width = text.width - mapWidth - gap
        // The facts are more important than the map.
        if let map = flyer.map, width >= Self.minTextWidth, words.smallestHeight(width: width) <= text.height {
            var panel = text.cutRight(mapWidth, gap: gap)
            _ = panel.cutBottom(quiet)
            draw(map, in: panel.cutBottom(mapWidth / MapPanel.ratio))
        }
        words.draw(in: text)
        drawCode(atBottomOf: right)
    }

    private func drawColumn(in box: Box) {
        var text = box
        let bottom = text.cutBottom(codeSide + quiet, gap: quiet)
        let words = FlyerText(flyer, on: canvas)
        if let map = flyer.map {
            var room = text
            _ = room.cutTop(words.smallestHeight(width: text.width) + gap)
            let size = fitted(in: room)
            if size.width >= Self.minMapWidth {
                draw(map, in: text.cutBottom(size.height, gap: gap).centred(width: size.width, height: size.height))
            }
        }
        words.draw(in: text)
        drawCode(atBottomOf: bottom)
    }

    /// The size of the largest map in a box.
    private func fitted(in box: Box) -> (width: Double, height: Double) {
        let width = min(box.width, box.height * MapPanel.ratio)
        return (width, width / MapPanel.ratio)
    }

    private func draw(_ map: MapPanel, in box: Box) {
        canvas.draw(map, markedIn: flyer.status.colour, in: box)
    }

    private func drawCode(atBottomOf box: Box) {
        var box = box
        _ = box.cutBottom(quiet)
        var square = box.cutBottom(codeSide)
        canvas.draw(code, in: square.cutRight(codeSide))
    }

    /// The height of the strip below the photo: what facts, description and code need, but not most of the room.
    private func stripHeight(in main: Box) -> Double {
        let width = main.width - codeSide - gutter
        let besideMap = width - mapWidth - gap
        let hasMap = flyer.map != nil && besideMap >= Self.minTextWidth
        let text = FlyerText(flyer, on: canvas).smallestHeight(width: hasMap ? besideMap : width)
        return max(codeSide + 2 * quiet, min(max(text + gap, 116), main.height * 0.45))
    }

    /// The width of the column beside the photo. In low areas it has room for two columns of facts.
    private func columnWidth(in main: Box) -> Double {
        max(codeSide, mm(main.width > main.height * 1.3 ? 64 : 50) * scale)
    }

    private let gap = 8.0
    /// In smaller maps, names cannot be read.
    private static let minMapWidth = mm(38)
    /// The width of the text beside a map and a code.
    private static let minTextWidth = mm(80)

    /// The size of the bands and of large text, relative to A4.
    private var scale: Double { canvas.page.width / mm(210) }
    private var codeSide: Double { photo == nil && format == .a4 ? mm(45) : mm(32) }
    /// The map is as high as the code beside it.
    private var mapWidth: Double { codeSide * MapPanel.ratio }
    private var quiet: Double { QRCode.quietZone * codeSide / Double(code.side) }
    private var gutter: Double { max(quiet, 12) }
}

/// The layout of a picture: a band with the headline, another with the reward, the photo with the text below or beside it,
/// whichever crops less of it, a band with the telephone number and the address.
struct PictureLayout {
    let picture: Picture
    let photo: Picture.Photo?
    let canvas: Canvas

    func draw() {
        var page = canvas.page
        canvas.fill(page, .white)
        drawBand(picture.headline, .white, on: picture.status.colour, largest: 92, in: page.cutTop(112))
        if let reward = picture.reward { drawBand(reward, .black, on: .yellow, largest: 48, in: page.cutTop(66)) }
        drawAddress(in: page.cutBottom(48))
        if let phone = picture.phone {
            drawBand(phone, .white, on: picture.status.colour, largest: 74, in: page.cutBottom(100))
        }
        let (side, top) = (Box(x: 0, y: 0, width: 540, height: page.height), page.height - 196)
        if let photo,
            photo.visibleShare(in: side)
                > photo.visibleShare(in: Box(x: 0, y: 0, width: page.width, height: top))
        {
            canvas.draw(photo, in: page.cutLeft(side.width))
            var text = page.inset(30, 30)
            if let map = picture.map { draw(map, in: text.cutBottom(text.width / MapPanel.ratio, gap: 20)) }
            drawText(in: text, separator: "\n", alignment: .start)
        } else {
            drawPhoto(in: page.cutTop(top))
            if let map = picture.map { draw(map, in: page.cutRight(page.height * MapPanel.ratio)) }
            drawText(in: page.inset(40, 8), separator: "  ·  ", alignment: .centre)
        }
    }

    private func draw(_ map: MapPanel, in box: Box) {
        canvas.draw(map, markedIn: picture.status.colour, in: box)
    }

    private func drawPhoto(in box: Box) {
        if let photo { return canvas.draw(photo, in: box) }
        canvas.fill(box, .paper)
        canvas.drawPaw(picture.status.colour, in: box)
    }

    private func drawBand(_ text: String, _ ink: Colour, on colour: Colour, largest: Double, in band: Box) {
        canvas.fill(band, colour)
        let style = TextStyle(weight: .black, sizes: 28...largest, colour: ink, alignment: .centre)
        canvas.writeMiddle(text.singleLine(limit: 100), style, in: band.inset(30, 4))
    }

    private func drawAddress(in band: Box) {
        let style = TextStyle(weight: .bold, sizes: 20...32, colour: .grey, alignment: .centre)
        canvas.writeMiddle(picture.address.singleLine(limit: 100), style, in: band.inset(30, 4))
    }

    /// Draws the name in at most half of the box, and the lines below it.
    private func drawText(in box: Box, separator: String, alignment: TextStyle.Alignment) {
        let name = TextBlock(
            picture.name.singleLine(limit: 100),
            TextStyle(weight: .black, sizes: 36...84, alignment: alignment),
            on: canvas
        )
        name.fit(width: box.width, height: max(110, box.height / 2))
        let lines = TextBlock(
            picture.lines.map { $0.singleLine(limit: 100) }.joined(separator: separator),
            TextStyle(weight: .bold, sizes: 28...44, alignment: alignment),
            on: canvas
        )
        lines.fit(width: box.width, height: box.height - name.height)
        var text = box.centred(width: box.width, height: name.height + lines.height)
        canvas.draw(name, in: text.cutTop(name.height))
        canvas.draw(lines, in: text)
    }
}

extension Picture.Photo {
    /// The share of the photo that is seen when it fills the box.
    fileprivate func visibleShare(in box: Box) -> Double {
        let (across, down) = (box.width / Double(width), box.height / Double(height))
        return min(across, down) / max(across, down)
    }
}

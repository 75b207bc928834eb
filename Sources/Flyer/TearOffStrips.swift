/// Equal strips with the first contact and the address or, without contacts, the QR code and the address. The lines between
/// them are to be cut. The text is turned, because a telephone number is longer than a strip is wide.
struct TearOffStrips {
    let flyer: Flyer
    let code: QRCode
    let canvas: Canvas

    static let height = mm(58)
    private static let count = 9

    func draw(in box: Box) {
        let width = box.width / Double(Self.count)
        var rest = box
        canvas.dashedLine(in: Box(x: box.x, y: box.y, width: box.width, height: 0))
        for number in 1...Self.count {
            drawStrip(in: rest.cutLeft(width).inset(5, 6))
            guard number < Self.count else { break }
            canvas.dashedLine(in: Box(x: rest.x, y: box.y, width: 0, height: box.height))
        }
    }

    private func drawStrip(in box: Box) {
        var box = box
        let contact = flyer.contacts.lazy.map { $0.singleLine(limit: 200) }.first { !$0.isEmpty }
        if contact == nil {
            canvas.draw(code, in: box.cutTop(box.width, gap: QRCode.quietZone * box.width / Double(code.side)))
        }
        canvas.turned(box) { box in
            let blocks = blocks(contact, in: box)
            var lines = box.centred(width: box.width, height: blocks.reduce(0) { $0 + $1.height })
            for block in blocks { canvas.draw(block, in: lines.cutTop(block.height)) }
        }
    }

    /// The lines of a strip, the contact in the largest letters.
    private func blocks(_ contact: String?, in box: Box) -> [TextBlock] {
        let title = block(flyer.title, .bold, contact == nil ? 9...12 : 9...10)
        title.fit(width: box.width, height: 15)
        let address = block(flyer.shortAddress, .regular, contact == nil ? 9...9 : 8...9)
        guard let contact else {
            address.fit(width: box.width, height: box.height - title.height)
            return [title, address]
        }
        address.fit(width: box.width, height: 22)
        let way = block(contact, .black, 9...20)
        // A contact is larger on one line than on two.
        way.fit(width: box.width, height: min(26, box.height - title.height - address.height))
        return [title, way, address]
    }

    private func block(_ text: String, _ weight: TextStyle.Weight, _ sizes: ClosedRange<Double>) -> TextBlock {
        TextBlock(text, TextStyle(weight: weight, sizes: sizes, alignment: .centre), on: canvas)
    }
}

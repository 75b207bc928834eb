/// Equal strips with the first contact or, without contacts, the code and the address. The lines between them are to be
/// cut. The text is turned, because a telephone number is longer than a strip is wide.
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
            let title = TextBlock(flyer.title, TextStyle(weight: .bold, sizes: 9...12, alignment: .centre), on: canvas)
            title.fit(width: box.width, height: 15)
            let sizes = contact == nil ? 9.0...9 : 9...20
            let style = TextStyle(weight: contact == nil ? .regular : .black, sizes: sizes, alignment: .centre)
            let way = TextBlock(contact ?? flyer.shortAddress, style, on: canvas)
            // A contact is larger on one line than on two.
            way.fit(width: box.width, height: contact == nil ? box.height - title.height : 26)
            var lines = box.centred(width: box.width, height: title.height + way.height)
            canvas.draw(title, in: lines.cutTop(title.height))
            canvas.draw(way, in: lines)
        }
    }
}

package import Domain
package import Foundation

/// A wide picture of the site, which programs show beside a link to one of its pages.
///
/// The caller supplies all texts in the language of the picture.
package struct SitePicture: Equatable, Sendable {
    /// In pixels.
    package static let (width, height) = (1200, 630)

    package let name: String
    /// A sentence that describes the site.
    package let line: String
    /// The address of the site.
    package let site: String
    package let language: Language

    package init(name: String, line: String, site: String, language: Language) {
        (self.name, self.line, self.site, self.language) = (name, line, site, language)
    }

    /// Returns a PNG. The same picture always has the same bytes.
    ///
    /// The method can be called from any thread; pictures are drawn one after another.
    /// - Throws: `FlyerError.drawing`.
    package func png() throws -> Data {
        let page = Box(x: 0, y: 0, width: Double(Self.width), height: Double(Self.height))
        return try Canvas.draw(.png, page, title: name, language: language, draw)
    }

    private func draw(on canvas: Canvas) {
        canvas.fill(canvas.page, .brand)
        var box = canvas.page.inset(60, 50)
        canvas.drawPaw(.white, in: box.cutLeft(380, gap: 40))
        write(site, .bold, 24...36, in: box.cutBottom(60), on: canvas)
        write(name, .black, 44...120, in: box.cutTop(box.height * 0.55), on: canvas)
        let line = TextBlock(
            line.singleLine(limit: 200), TextStyle(weight: .bold, sizes: 28...54, colour: .white), on: canvas)
        line.fit(width: box.width, height: box.height)
        canvas.draw(line, in: box)
    }

    private func write(
        _ text: String,
        _ weight: TextStyle.Weight,
        _ sizes: ClosedRange<Double>,
        in box: Box,
        on canvas: Canvas
    ) {
        canvas.writeMiddle(
            text.singleLine(limit: 200), TextStyle(weight: weight, sizes: sizes, colour: .white), in: box)
    }
}

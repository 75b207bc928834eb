import Flyer
import Foundation
import TestSupport

/// A flyer in a PDF file, and the results of reading it with external tools.
struct PrintedFlyer {
    private let folder: TemporaryFolder
    private let file: String

    init(_ flyer: Flyer, _ format: Flyer.Format = .a4) throws {
        try self.init(pdf: flyer.pdf(format))
    }

    init(pdf: Data) throws {
        folder = try TemporaryFolder()
        let url = folder.url.appending(path: "flyer.pdf")
        try pdf.write(to: url)
        file = url.path
    }

    func information(_ options: String...) throws -> String {
        String(decoding: try Tool.pdfinfo.run(options + [file]), as: UTF8.self)
    }

    /// The text, with line breaks replaced by spaces.
    func text() throws -> String {
        String(decoding: try Tool.pdftotext.run([file, "-"]), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }

    /// Where words with an ending stand, in points from the left and from the top edge of the page, from left to right.
    func places(of ending: String) throws -> [(left: Double, top: Double)] {
        String(decoding: try Tool.pdftotext.run(["-bbox", file, "-"]), as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("\(ending)<") }
            .compactMap { $0.firstMatch(of: /xMin="([0-9.]+)" yMin="([0-9.]+)"/) }
            .compactMap { word in Double(word.1).flatMap { left in Double(word.2).map { (left, $0) } } }
            .sorted { $0.left < $1.left }
    }

    /// The bytes of the embedded pictures in their own formats.
    func images() throws -> [Data] {
        _ = try Tool.pdfimages.run(["-all", file, folder.url.appending(path: "image").path])
        return try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix("image") }
            .map { try Data(contentsOf: $0) }
    }

    /// The size of the smallest letters in points, from the boxes of the words.
    func smallestText() throws -> Double {
        let words = String(
            decoding: try Tool.pdftohtml.run(["-xml", "-i", "-zoom", "1", "-stdout", file]),
            as: UTF8.self
        )
        return words.matches(of: /<fontspec [^>]*size="([0-9.]+)"/).compactMap { Double($0.1) }.min() ?? 0
    }

    /// The content of the QR codes on the rendered page, which is the same for all of them.
    func scan() throws -> String { Set(try codes(resolution: 100)).joined(separator: "\n") }

    /// The content of each QR code on the rendered page.
    func codes(resolution: Int = 300) throws -> [String] {
        let page = folder.url.appending(path: "page").path
        _ = try Tool.pdftoppm.run(["-gray", "-r", "\(resolution)", "-singlefile", file, page])
        let read = String(
            decoding: try Tool.zbarimg.run(["--quiet", "--raw", "--nodbus", "\(page).pgm"]),
            as: UTF8.self
        )
        return read.split(separator: "\n").map(String.init)
    }

    func page(resolution: Int) throws -> Page {
        try Page(ppm: [UInt8](Tool.pdftoppm.run(["-r", "\(resolution)", "-singlefile", file])))
    }
}

/// A rendered page.
struct Page {
    let width: Int
    let height: Int
    private let samples: ArraySlice<UInt8>

    init(ppm: [UInt8]) throws {
        // The format is "P6", width and height, 255, each ending with a newline, and then the pixels.
        let lines = ppm.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        let size = lines.dropFirst().first.map { String(decoding: $0, as: UTF8.self).split(separator: " ") } ?? []
        guard lines.count == 4, size.count == 2, let width = Int(size[0]), let height = Int(size[1]),
            lines[3].count == width * height * 3
        else { throw CocoaError(.fileReadCorruptFile) }
        self.width = width
        self.height = height
        samples = lines[3]
    }

    /// The red, green and blue components of a pixel.
    subscript(x: Int, y: Int) -> [Int] {
        let start = samples.startIndex + (y * width + x) * 3
        return samples[start..<start + 3].map(Int.init)
    }

    /// The share of the pixels that fulfil a condition, from 0 to 1.
    func share(where isCounted: ([Int]) -> Bool) -> Double {
        let count = (0..<height).reduce(0) { sum, y in sum + (0..<width).count { isCounted(self[$0, y]) } }
        return Double(count) / Double(width * height)
    }

    /// Whether a margin of this many pixels is blank.
    func isBlank(margin: Int) -> Bool {
        (0..<height).allSatisfy { y in
            (0..<width).allSatisfy { x in
                (margin..<width - margin).contains(x) && (margin..<height - margin).contains(y)
                    || self[x, y] == [255, 255, 255]
            }
        }
    }
}

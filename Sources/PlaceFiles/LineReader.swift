import Foundation

/// The lines of a text file, read piece by piece.
struct LineReader {
    private static let piece = 1 << 20
    /// No line of a known table is longer.
    private static let maxLineLength = 1 << 20

    private let url: URL

    init(_ url: URL) {
        self.url = url
    }

    /// Without their ends; an empty last line is none. Throws where a line is too long, or is not UTF-8.
    func read(_ body: (String) throws -> Void) throws {
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        var rest = Data()
        while let piece = try file.read(upToCount: Self.piece), !piece.isEmpty {
            rest.append(piece)
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                try body(text(rest[start..<end]))
                start = rest.index(after: end)
            }
            rest = Data(rest[start...])
            guard rest.count < Self.maxLineLength else { throw PlaceFileError(url, "a line is too long") }
        }
        if !rest.isEmpty { try body(text(rest)) }
    }

    private func text(_ line: Data) throws -> String {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        guard !line.contains(0), let text = String(validating: line, as: UTF8.self) else {
            throw PlaceFileError(url, "is not a text in UTF-8")
        }
        return text
    }
}

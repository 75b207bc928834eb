import Foundation

/// Reads the lines of a text file in pieces.
struct LineReader {
    private static let piece = 1 << 20
    /// The lines of known tables are shorter.
    private static let maxLineLength = 1 << 20

    private let url: URL

    init(_ url: URL) {
        self.url = url
    }

    /// Calls `body` with each line without its line break; an empty last line is skipped. Throws if a line is too long
    /// or is not UTF-8.
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

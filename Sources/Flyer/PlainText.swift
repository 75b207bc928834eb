extension String {
    /// Returns the printable characters, with each run of white space replaced by one space.
    /// - Parameter limit: the maximum number of Unicode scalars.
    func singleLine(limit: Int) -> String {
        lines(limit: limit).joined(separator: " ")
    }

    /// Like `singleLine(limit:)`, but keeps line breaks. Empty lines are removed.
    func plainText(limit: Int) -> String {
        lines(limit: limit).joined(separator: "\n")
    }

    /// Returns the text up to the limit. If that is not all of it, ends with a whole word and an ellipsis.
    private func start(limit: Int) -> Substring.UnicodeScalarView {
        let start = unicodeScalars.prefix(limit)
        guard start.endIndex < unicodeScalars.endIndex else { return start }
        let end = start.lastIndex { $0.properties.isWhitespace } ?? start.endIndex
        return Substring(String(start[..<end]) + "…").unicodeScalars
    }

    private func lines(limit: Int) -> [String] {
        String(start(limit: limit).printable)
            .split(whereSeparator: \.isNewline)
            .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            .filter { !$0.isEmpty }
    }
}

/// The maximum number of combining marks on one letter. No script uses more, and longer stacks would cover the lines
/// above and below.
private let maxMarks = 4

extension Substring.UnicodeScalarView {
    fileprivate var printable: String.UnicodeScalarView {
        var result = String.UnicodeScalarView()
        var marks = 0
        for scalar in self where scalar.isPrintable {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: marks += 1
            // Joiners also occur between combining marks.
            case .format: break
            default: marks = 0
            }
            if marks <= maxMarks { result.append(scalar) }
        }
        return result
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        (properties.generalCategory != .control || properties.isWhitespace) && !properties.isNoncharacterCodePoint
    }
}

extension String {
    /// Of characters that can be printed, all white space made single spaces.
    /// - Parameter limit: Unicode scalars.
    func singleLine(limit: Int) -> String {
        lines(limit: limit).joined(separator: " ")
    }

    /// The same, keeping where lines end; empty lines are left out.
    func plainText(limit: Int) -> String {
        lines(limit: limit).joined(separator: "\n")
    }

    private func lines(limit: Int) -> [String] {
        String(unicodeScalars.prefix(limit).printable)
            .split(whereSeparator: \.isNewline)
            .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            .filter { !$0.isEmpty }
    }
}

/// More than any script sets on one letter: higher piles cover what stands above and below.
private let maxMarks = 4

extension Substring.UnicodeScalarView {
    fileprivate var printable: String.UnicodeScalarView {
        var result = String.UnicodeScalarView()
        var marks = 0
        for scalar in self where scalar.isPrintable {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: marks += 1
            // Joiners stand between marks too.
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

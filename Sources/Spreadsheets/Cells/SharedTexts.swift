import XML

/// The texts of a workbook that its cells refer to by number.
struct SharedTexts {
    private var bytes: [UInt8] = []
    /// The end of each text in the bytes.
    private var ends: [UInt32] = []

    init() {}

    init(_ part: ZipPart) throws(SpreadsheetError) {
        // An array that grows would need twice the memory for a moment.
        let handler = Handler(capacity: min(part.size, SpreadsheetLimits.maxSharedTextBytes))
        try XMLPart(part, handler).read()
        (bytes, ends) = (handler.bytes, handler.ends)
    }

    /// Nil if there is no text with this number.
    subscript(index: Int) -> String? {
        guard ends.indices.contains(index) else { return nil }
        let start = index == 0 ? 0 : Int(ends[index - 1])
        return String(decoding: bytes[start..<Int(ends[index])], as: UTF8.self).unescapedCell
    }

    private final class Handler: XMLHandler {
        private(set) var bytes: [UInt8] = []
        private(set) var ends: [UInt32] = []
        private var path = TextPath()

        init(capacity: Int) { bytes.reserveCapacity(capacity) }

        func start(_ name: String, _ attributes: XMLAttributes, depth: Int) throws {
            let name = name.localName
            if depth == 1, name != "sst" { throw SpreadsheetError.isOther }
            path.start(name, depth: depth - 2, container: "si")
        }

        func end(depth: Int) throws {
            path.end(depth: depth - 2)
            if depth == 2, bytes.count + 4 * (ends.count + 1) <= SpreadsheetLimits.maxSharedTextBytes {
                ends.append(UInt32(bytes.count))
            } else if depth == 2 {
                throw Self.tooLarge
            }
        }

        func text(_ text: UnsafeRawBufferPointer) throws {
            guard path.isText else { return }
            bytes.append(contentsOf: text)
            guard bytes.count - Int(ends.last ?? 0) <= 3 * SpreadsheetLimits.maxCellCharacters else {
                throw SpreadsheetError(
                    message: "expected at most \(SpreadsheetLimits.maxCellCharacters) characters in a cell"
                )
            }
            guard bytes.count <= SpreadsheetLimits.maxSharedTextBytes else { throw Self.tooLarge }
        }

        private static let tooLarge = SpreadsheetError(
            message: "expected at most \(SpreadsheetLimits.maxSharedTextBytes >> 20) MiB of different texts"
        )
    }
}

/// Where a text with formats (ECMA-376 calls it `CT_Rst`) has words: in `t`, and in `t` of the runs `r`. Phonetic runs
/// tell how the words are pronounced.
struct TextPath {
    private(set) var isText = false
    private var isOpen = false
    private var isRun = false

    /// - Parameters:
    ///   - name: without a prefix.
    ///   - depth: 0 for the container.
    mutating func start(_ name: String, depth: Int, container: String) {
        isText = false
        switch depth {
        case 0: (isOpen, isRun) = (name == container, false)
        case 1:
            isRun = name == "r"
            isText = isOpen && name == "t"
        case 2: isText = isOpen && isRun && name == "t"
        default: break
        }
    }

    mutating func end(depth: Int) {
        isText = false
        if depth == 0 { isOpen = false }
        if depth == 1 { isRun = false }
    }
}

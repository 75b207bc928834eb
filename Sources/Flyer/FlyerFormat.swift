extension Flyer {
    /// The raw values are those of the query parameter `format`.
    package enum Format: String, CaseIterable, Sendable {
        case a4
        /// A4 with strips at the bottom, which passers-by tear off and take with them.
        case a4Strips = "a4-strips"
        case a5
        /// A square page, which chats show completely.
        case square

        var page: Box {
            switch self {
            case .a4, .a4Strips: Box(x: 0, y: 0, width: mm(210), height: mm(297))
            case .a5: Box(x: 0, y: 0, width: mm(148), height: mm(210))
            case .square: Box(x: 0, y: 0, width: mm(210), height: mm(210))
            }
        }
    }
}

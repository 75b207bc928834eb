/// Why a gazetteer could not be opened, or a truth file not be read.
public enum GazetteerError: Error, Equatable, CustomStringConvertible {
    /// The system refused the file; the reason is its own text.
    case unreadable(path: String, reason: String)
    /// The file does not begin as a table of this service does.
    case foreign(path: String)
    /// The file was written by another version of the build program.
    case version(path: String, found: UInt32)
    /// A section is missing, of another shape, or reaches beyond the end of the file.
    case damaged(path: String, section: String)
    /// `points.bin` numbers the places of another `gazetteer.bin`.
    case mismatched(path: String)
    /// A line of a truth file lacks a column or holds no number where one is due.
    case malformedTruth(line: Int)

    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .foreign(let path): "\(path): not a gazetteer file"
        case .version(let path, let found): "\(path): format version \(found), expected \(TableFile.version)"
        case .damaged(let path, let section): "\(path): section \(section) is missing or damaged"
        case .mismatched(let path): "\(path): built for another gazetteer.bin"
        case .malformedTruth(let line): "line \(line): expected the columns of a truth file"
        }
    }
}

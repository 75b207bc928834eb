/// An error that occurs when a gazetteer is opened or a truth file is read.
public enum GazetteerError: Error, Equatable, CustomStringConvertible {
    /// The operating system could not open the file; the reason is the system's message.
    case unreadable(path: String, reason: String)
    /// The file does not begin with the magic bytes of a gazetteer file.
    case foreign(path: String)
    /// The file was written by another version of the build program.
    case version(path: String, found: UInt32)
    /// A section is missing, has another record size, or extends beyond the end of the file.
    case damaged(path: String, section: String)
    /// `gazetteer.bin` is damaged or not the one that `points.bin`, or the file of a country, was built for.
    case mismatched(path: String)
    /// A line of a truth file lacks a column or has an invalid number.
    case malformedTruth(line: Int)

    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .foreign(let path): "\(path): not a gazetteer file"
        case .version(let path, let found): "\(path): format version \(found), expected \(TableFile.version)"
        case .damaged(let path, let section): "\(path): section \(section) is missing or damaged"
        case .mismatched(let path): "\(path): damaged, or not built together with the other tables"
        case .malformedTruth(let line): "line \(line): expected the columns of a truth file"
        }
    }
}

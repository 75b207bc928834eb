/// The bounds of a ZIP file.
struct ZipLimits {
    /// The bytes that are read of the list of entries and of what lies around it.
    static let maxListBytes = 2 << 20

    let entries: Int
    /// The unpacked bytes that are read of all entries together.
    let totalBytes: Int

    static let spreadsheet = ZipLimits(
        entries: SpreadsheetLimits.maxEntries,
        totalBytes: SpreadsheetLimits.maxTotalBytes
    )
    static let photos = ZipLimits(entries: FileArchive.maxEntries, totalBytes: 1 << 30)
}

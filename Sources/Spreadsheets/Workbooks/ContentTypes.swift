/// The media types of the parts of an Office Open XML file.
struct ContentTypes {
    static let part = "[Content_Types].xml"
    private static let maxCount = 2 * SpreadsheetLimits.maxEntries

    /// By paths in lower case.
    private var overrides: [String: String] = [:]
    /// By endings of names in lower case.
    private var defaults: [String: String] = [:]

    init(_ file: ZipFile) throws(SpreadsheetError) {
        var (overrides, defaults): ([String: String], [String: String]) = ([:], [:])
        try file.readElements(of: Self.part) { name, attributes, depth in
            guard depth == 2, let type = attributes["ContentType"] else { return }
            if name == "Override", let part = attributes["PartName"] {
                overrides[String(part.trimmingPrefix("/")).lowercased()] = type
            } else if name == "Default", let ending = attributes["Extension"] {
                defaults[ending.lowercased()] = type
            }
            guard overrides.count + defaults.count <= Self.maxCount else {
                throw SpreadsheetError.damaged(Self.part, "expected at most \(Self.maxCount) types")
            }
        }
        (self.overrides, self.defaults) = (overrides, defaults)
    }

    subscript(part: String) -> String {
        let name = part.lowercased()
        return overrides[name] ?? name.split(separator: ".").last.flatMap { defaults[String($0)] } ?? ""
    }
}

import Domain

/// The columns with addresses of photos.
enum PhotoAddresses {
    /// Their folded names without a number.
    static let columns = ImportWords.words("photo")

    /// Returns a folded name without the number at its end: "foto 2", "photo1".
    static func unnumbered(_ name: String) -> String {
        guard let end = name.lastIndex(where: { !$0.isNumber && $0 != " " }) else { return name }
        let rest = String(name[...end])
        return columns.contains(rest) || rest == ImportPlan.photos ? rest : name
    }
}

extension ListingRecords.Record {
    /// The addresses of the photos, each once, in their order; nil if the file says nothing of photos. What is no address,
    /// such as "yes" or the name of a file, is left out.
    package var photos: [String]? {
        guard let value = fields[ImportPlan.photos] else { return nil }
        var seen: Set<String> = []
        return Self.texts(value).flatMap(Self.addresses).filter { seen.insert($0).inserted }
    }

    /// The texts of an array, and the addresses of photos as this service's GeoJSON has them.
    private static func texts(_ value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let values): values.flatMap(texts)
        case .object(let members): members["url"].map(texts) ?? []
        default: []
        }
    }

    nonisolated(unsafe) private static let separator = #/[,;|]+(?=https?:\/\/)/#.ignoresCase()

    /// Divides a text at spaces, and at commas, semicolons and bars before another address: an address can contain commas.
    private static func addresses(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).flatMap { word in
            String(word).replacing(separator, with: " ").split(separator: " ")
        }
        .map { $0.trimmingSuffix { ",;|".contains($0) } }
        .filter { RemotePhoto.host(of: $0) != nil }
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isLeftOut: (Character) -> Bool) -> String {
        String(prefix(upTo: lastIndex { !isLeftOut($0) }.map { index(after: $0) } ?? startIndex))
    }
}

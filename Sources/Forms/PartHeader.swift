import Domain

/// The header of a part.
struct PartHeader {
    let name: String
    /// The file name, or nil for a text field.
    let filename: String?
    let contentType: String?

    /// - Parameter bytes: The lines of the header, each with its line end.
    init(_ bytes: [UInt8]) throws(ServiceError) {
        let lines = try Self.lines(bytes)
        guard let text = lines["content-disposition"], let disposition = ParameterizedValue(text),
            disposition.value == "form-data", let name = disposition["name"]
        else {
            throw .invalid("body", #"expected each part with Content-Disposition: form-data; name="...""#)
        }
        let encoding = lines["content-transfer-encoding"]?.lowercased() ?? "binary"
        guard ["7bit", "8bit", "binary"].contains(encoding) else {
            throw .invalid("body", "expected no Content-Transfer-Encoding")
        }
        self.name = name.unescaped
        filename = disposition["filename"]?.unescaped
        contentType = lines["content-type"]
    }

    /// Returns the values by their names in lower case.
    private static func lines(_ bytes: [UInt8]) throws(ServiceError) -> [String: String] {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .invalid("body", "expected the parts' headers in UTF-8")
        }
        var values: [String: String] = [:]
        for line in text.unicodeScalars.split(separator: "\r\n".unicodeScalars) {
            let name = line.prefix { $0 != ":" }
            guard !name.isEmpty, name.allSatisfy(\.isInToken), name.endIndex < line.endIndex,
                line.allSatisfy({ $0 == "\t" || $0.properties.generalCategory != .control })
            else { throw .invalid("body", "a part's header has a line that is not \"Name: value\"") }
            let value = String(line[name.endIndex...].dropFirst().trimmed)
            guard values.updateValue(value, forKey: String(name).lowercased()) == nil else {
                throw .invalid("body", "a part's header says \(String(name)) twice")
            }
        }
        return values
    }
}

extension String {
    /// Browsers encode these three characters in names and no others, not even the percent sign.
    fileprivate var unescaped: String {
        replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
    }
}

extension Unicode.Scalar {
    /// Whether the character may occur in a token of RFC 9110, 5.6.2.
    fileprivate var isInToken: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: "!#$%&'*+-.^_`|~".unicodeScalars.contains(self)
        }
    }
}

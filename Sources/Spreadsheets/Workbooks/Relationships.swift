/// The targets of references in a part of an Office Open XML file.
struct Relationships {
    private struct Target {
        /// The last word of the address that names the kind.
        let kind: String
        let part: String
    }

    private var targets: [String: Target] = [:]

    /// - Parameter part: "" for the file as a whole.
    init(of part: String, in file: ZipFile) throws(SpreadsheetError) {
        var targets: [String: Target] = [:]
        let folder = part.split(separator: "/").dropLast()
        let name = part.split(separator: "/").last ?? ""
        let own = (folder + ["_rels", "\(name).rels"]).joined(separator: "/")
        try file.readElements(of: own) { name, attributes, depth in
            guard depth == 2, name == "Relationship", attributes["TargetMode"] != "External",
                let id = attributes["Id"], let target = attributes["Target"]
            else { return }
            let kind = attributes["Type"]?.split(separator: "/").last ?? ""
            targets[id] = Target(kind: String(kind), part: Self.path(target, in: folder.map(String.init)))
            guard targets.count <= SpreadsheetLimits.maxEntries else {
                throw SpreadsheetError.damaged(own, "expected at most \(SpreadsheetLimits.maxEntries) targets")
            }
        }
        self.targets = targets
    }

    /// Returns the part of a kind; nil if there is none.
    func part(kind: String) -> String? { targets.values.filter { $0.kind == kind }.map(\.part).min() }

    /// Returns the part with an identifier, if it is of this kind.
    func part(id: String, kind: String) -> String? { targets[id].flatMap { $0.kind == kind ? $0.part : nil } }

    /// Resolves a path. `..` does not lead out of the file.
    private static func path(_ target: String, in folder: [String]) -> String {
        var names = target.hasPrefix("/") ? [] : folder
        for name in target.split(separator: "/") where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(String(name)) }
        }
        return names.joined(separator: "/")
    }
}

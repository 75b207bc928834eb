/// The values of a form in the order in which they were sent. A name can occur several times.
package struct FormFields: Equatable, Sendable {
    private struct Entry: Equatable {
        let name: String
        let value: String
    }

    private var entries: [Entry] = []

    package init() {}

    package mutating func append(_ name: String, _ value: String) {
        entries.append(Entry(name: name, value: value))
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The distinct names, in the order of their first values.
    package var names: [String] {
        var seen: Set<String> = []
        return entries.map(\.name).filter { seen.insert($0).inserted }
    }

    package func first(_ name: String) -> String? { entries.first { $0.name == name }?.value }

    /// Returns all values of a name in the order in which they were sent.
    package func all(_ name: String) -> [String] { entries.filter { $0.name == name }.map(\.value) }
}

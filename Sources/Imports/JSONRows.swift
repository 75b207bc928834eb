import Domain
import Foundation

/// The objects of a JSON array as the rows of a table, whose columns are their members.
struct JSONRows {
    /// The objects whose members are the columns. Members that only later ones have are not read.
    static let sample = 200

    let names: [String]
    private var reader: JSONElementReader
    private var number = 0
    /// The objects that were read to find the columns, the last one first.
    private var waiting: [[(name: String, text: String)]?]

    init(_ read: @escaping (Int) throws -> Data?) throws {
        var reader = JSONElementReader(.objects, read)
        var (names, known, first): ([String], Set<String>, [[(name: String, text: String)]?]) = ([], [], [])
        while first.count < Self.sample, let data = try reader.next() {
            let members = Self.members(data)
            for (name, _) in members ?? [] where known.insert(name).inserted { names.append(name) }
            guard names.count <= Table.maxColumns else {
                throw ServiceError.invalid("file", "expected at most \(Table.maxColumns) members of objects")
            }
            first.append(members)
        }
        (self.reader, self.names, waiting) = (reader, names, first.reversed())
    }

    /// Returns the next object, with its number, or nil at the end. Throws `invalid` for what is no object and goes on with
    /// the next one.
    mutating func next() throws -> Table.Record? {
        let members: [(name: String, text: String)]?
        if let first = waiting.popLast() {
            members = first
        } else {
            guard let data = try reader.next() else { return nil }
            members = Self.members(data)
        }
        number += 1
        guard let members else { throw ServiceError.invalid("element \(number)", "expected an object") }
        let texts = Dictionary(members) { first, _ in first }
        return (number, names.map { texts[$0] ?? "" })
    }

    /// Returns the members of an object, and those of objects in it as `outer.inner`, in the order of their names.
    private static func members(_ data: Data) -> [(name: String, text: String)]? {
        guard case .object(let object)? = try? JSONDecoder().decode(JSONValue.self, from: data) else { return nil }
        return object.sorted { $0.key < $1.key }.flatMap { name, value -> [(name: String, text: String)] in
            guard case .object(let inner) = value else { return [(name, text(value))] }
            return inner.sorted { $0.key < $1.key }.map { ("\(name).\($0.key)", text($0.value)) }
        }
    }

    /// Objects in arrays and deeper ones are no value of a field.
    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .number(let number): Int(exactly: number).map(String.init) ?? String(number)
        case .bool(let flag): String(flag)
        case .array(let values): values.map(text).filter { !$0.isEmpty }.joined(separator: " ")
        case .null, .object: ""
        }
    }
}

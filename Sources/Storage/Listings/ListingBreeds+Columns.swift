import Domain
import SQL

extension ListingBreeds {
    static let columns = ["breed_keys", "mixed", "breed_facets", "breed_tables"]

    /// The values of `columns`.
    var values: [SQLValue] { [.jsonList(keys), isMixed.sqlValue, .jsonList(facets), .integer(Int64(tables))] }
}

// A JSON array of keys or folded names, which are letters, digits, spaces and underscores, so that nothing needs escaping.

extension SQLValue {
    static func jsonList(_ texts: [String]) -> SQLValue {
        .text("[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]")
    }
}

extension String {
    /// The texts of a JSON array that `SQLValue.jsonList` has written.
    static func list(_ json: String) -> [String] {
        guard json != "[]" else { return [] }
        return json.dropFirst(2).dropLast(2).split(separator: "\",\"", omittingEmptySubsequences: false).map(
            String.init)
    }
}

import CSpatiaLite
import Domain
import SQL

extension SQLiteConnection {
    /// Adds `casei(text)`, which folds the case of all Unicode characters (SQLite's `lower` handles ASCII only), and
    /// `accenti(text)`, which removes accents. Both return NULL for anything but a text.
    func addTextFunctions() throws {
        try add("casei") { context, _, values in answer(context, values) { $0.caseFolded } }
        try add("accenti") { context, _, values in answer(context, values) { $0.withoutAccents } }
    }

    private typealias Function = @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    private func add(_ name: String, _ function: Function) throws {
        let kind = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let code = sqlite3_create_function_v2(handle, name, 1, kind, nil, function, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code) }
    }
}

private func answer(
    _ context: OpaquePointer?,
    _ values: UnsafeMutablePointer<OpaquePointer?>?,
    _ change: (String) -> String
) {
    guard let value = values?[0], sqlite3_value_type(value) == SQLITE_TEXT, let text = sqlite3_value_text(value) else {
        return sqlite3_result_null(context)
    }
    // SQLITE_TRANSIENT, a macro that Swift does not import, makes SQLite copy the text.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_result_text(context, change(String(cString: text)), -1, copied)
}

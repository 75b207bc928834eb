import CSpatiaLite
import Domain
import SQL

extension SQLiteConnection {
    /// Adds `casei(text)`, which folds the case of all Unicode characters (SQLite's `lower` handles ASCII only), and
    /// `accenti(text)`, which removes accents. Both return NULL for anything but a text. `stems(text, ...)` returns the stems
    /// of all words of the texts, where they differ from the words, with spaces between them. `short_feature(text)` returns the
    /// form of a prepared feature that is stored (`ShortFeature`).
    func addTextFunctions() throws {
        try add("casei") { context, _, values in answer(context, values) { $0.caseFolded } }
        try add("accenti") { context, _, values in answer(context, values) { $0.withoutAccents } }
        try add("short_feature") { context, _, values in answer(context, values, ShortFeature.shorten) }
        try add("stems", arguments: -1) { context, count, values in
            let texts = (0..<Int(count)).compactMap { text(values?[$0]) }
            answer(context, texts.joined(separator: " ").folded.stems.joined(separator: " "))
        }
    }

    private typealias Function = @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// - Parameter arguments: -1 for any number.
    private func add(_ name: String, arguments: CInt = 1, _ function: Function) throws {
        let kind = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let code = sqlite3_create_function_v2(handle, name, arguments, kind, nil, function, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code) }
    }
}

private func answer(
    _ context: OpaquePointer?,
    _ values: UnsafeMutablePointer<OpaquePointer?>?,
    _ change: (String) -> String
) {
    guard let text = text(values?[0]) else { return sqlite3_result_null(context) }
    answer(context, change(text))
}

private func answer(_ context: OpaquePointer?, _ text: String) {
    // SQLITE_TRANSIENT, a macro that Swift does not import, makes SQLite copy the text.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_result_text(context, text, -1, copied)
}

/// Returns nil for anything but a text.
private func text(_ value: OpaquePointer?) -> String? {
    guard let value, sqlite3_value_type(value) == SQLITE_TEXT else { return nil }
    return sqlite3_value_text(value).map { String(cString: $0) }
}

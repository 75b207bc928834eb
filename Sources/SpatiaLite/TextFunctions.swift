import Domain
import GRDB

extension DatabaseFunction {
    /// `casei(text)` folds the case of all Unicode characters. SQLite's `lower` handles ASCII only.
    static let caseFolding = DatabaseFunction("casei", argumentCount: 1, pure: true) { arguments in
        String.fromDatabaseValue(arguments[0])?.caseFolded
    }

    /// `accenti(text)` removes accents.
    static let accentRemoval = DatabaseFunction("accenti", argumentCount: 1, pure: true) { arguments in
        String.fromDatabaseValue(arguments[0])?.withoutAccents
    }
}

import Domain
import GRDB

extension DatabaseFunction {
    /// `casei(text)`: case folded by all of Unicode. SQLite's own `lower` knows ASCII alone.
    static let caseFolding = DatabaseFunction("casei", argumentCount: 1, pure: true) { arguments in
        String.fromDatabaseValue(arguments[0])?.caseFolded
    }

    /// `accenti(text)`: accents taken off.
    static let accentRemoval = DatabaseFunction("accenti", argumentCount: 1, pure: true) { arguments in
        String.fromDatabaseValue(arguments[0])?.withoutAccents
    }
}

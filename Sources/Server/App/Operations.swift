extension Operation {
    /// All operations. A new route needs an operation in one of these groups; a test compares the operations with the
    /// routes.
    static let all =
        accounts + emailTokens + listings + messages + photos + moderation + places + geocoders + features + tiles
        + feeds + landing + monitoring + pages
        + forms + messagePages + files
}

extension Schema {
    /// All schemas that operations refer to by name.
    static let components = [
        listings, accounts, emailTokens, messages, photos, moderation, places, geocoders, features, tiles, operations,
    ].reduce(into: [:]) { $0.merge($1) { $1 } }
}

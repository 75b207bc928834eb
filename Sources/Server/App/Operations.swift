extension Operation {
    /// All that the server does. Whoever adds a route adds it to a group, and a group here; a test holds this against the routes.
    static let all =
        accounts + emailTokens + listings + messages + photos + moderation + places + geocoders + features + tiles
        + feeds + landing + monitoring + pages
        + forms + messagePages + files
}

extension Schema {
    /// All that operations name.
    static let components = [
        listings, accounts, emailTokens, messages, photos, moderation, places, geocoders, features, tiles, operations,
    ].reduce(into: [:]) { $0.merge($1) { $1 } }
}

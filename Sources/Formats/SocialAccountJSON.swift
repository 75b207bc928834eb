package import Domain

extension JSONWriter {
    /// The token is never shown.
    ///
    /// - Parameter posts: the number of listings that were posted there.
    package mutating func social(_ account: SocialAccount, posts: Int) {
        object { json in
            json.field("id", account.id.uuidString.lowercased())
            json.field("service", account.address.service.rawValue)
            json.field("server", account.address.server)
            json.field("chat", account.address.chat)
            json.field("name", account.name)
            json.field("lon", account.selection.centre.lon)
            json.field("lat", account.selection.centre.lat)
            json.field("radius", account.selection.radius)
            json.field("species", account.selection.species?.rawValue)
            json.field("language", account.selection.language.rawValue)
            json.field("paused", account.isPaused)
            json.field("problem", account.problem?.rawValue)
            json.field("problem_at", account.problemAt?.text)
            json.field("created_at", account.createdAt.text)
            json.field("posts", posts)
        }
    }
}

import Domain

extension JSONWriter {
    /// Writes the member `photo`: the addresses of the sizes, or null.
    mutating func photo(_ photo: StoredPhoto?, base: String) {
        embed("photo") { json in
            guard let photo else { return json.null() }
            json.object { json in
                json.field("width", photo.width)
                json.field("height", photo.height)
                json.field("url", base + photo.url)
                json.field("medium", base + photo.medium)
                json.field("thumbnail", base + photo.thumbnail)
            }
        }
    }
}

/// How many items a page has.
struct PageSize: Sendable {
    let usual: Int
    let most: Int

    static let listings = PageSize(usual: 20, most: 200)
    static let conversations = PageSize(usual: 20, most: 100)
    static let feed = PageSize(usual: 50, most: listings.most)
    static let reports = PageSize(usual: 20, most: 100)
    static let audit = PageSize(usual: 50, most: 1000)
    static let pois = PageSize(usual: 20, most: 1000)
    static let places = PageSize(usual: 10, most: 50)
    static let breeds = PageSize(usual: 1000, most: 1000)
    static let foundBreeds = PageSize(usual: 10, most: breeds.most)
}

/// The default and the maximum number of items in one page of results.
struct PageSize: Sendable {
    let defaultLimit: Int
    let maxLimit: Int

    static let listings = PageSize(defaultLimit: 20, maxLimit: 200)
    static let conversations = PageSize(defaultLimit: 20, maxLimit: 100)
    static let feed = PageSize(defaultLimit: 50, maxLimit: listings.maxLimit)
    static let reports = PageSize(defaultLimit: 20, maxLimit: 100)
    static let audit = PageSize(defaultLimit: 50, maxLimit: 1000)
    static let pois = PageSize(defaultLimit: 20, maxLimit: 1000)
    static let places = PageSize(defaultLimit: 10, maxLimit: 50)
    static let breeds = PageSize(defaultLimit: 1000, maxLimit: 1000)
    static let foundBreeds = PageSize(defaultLimit: 10, maxLimit: breeds.maxLimit)
}

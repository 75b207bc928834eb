import Domain
import Formats
import Localization
import Pages
import Storage

/// The objects that the routes and pages of the site share.
struct Site: Sendable {
    let settings: SiteSettings
    let stores: Stores
    let page: PageRenderer
    let baseURL: BaseURL
    let localization: Localization
    let breeds: Breeds
    let finder: SitePlaces
    let countries: Countries
    let queries: ListingQueryReader
    let photoService: PhotoService
    let slowReads: SlowReadExecutor
    let now: @Sendable () -> Timestamp
    /// The titles of features in each language.
    let titles: [Language: FeatureTitles]
}

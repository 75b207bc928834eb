import HTTP
import Storage

/// The objects that several routes share.
struct Services {
    let page: PageRenderer
    let account: AccountService
    let message: MessageService
    let sighting: SightingService
    let match: MatchService
    let animal: AnimalService
    let batch: ListingBatchService
    let board: BoardPages
    let microchip: MicrochipService
    let searchAreas: SearchAreaService
    let track: TrackService
    let social: SocialService

    init(_ web: WebService) {
        let (stores, finder) = (web.stores, web.places)
        page = PageRenderer(
            pages: web.pages,
            baseURL: web.baseURL,
            cookie: SessionCookie(web.baseURL),
            tiles: web.tiles,
            photoService: web.photoService,
            forms: FormReader(photos: web.photoService),
            conversations: stores.conversations,
            sightings: stores.sightings,
            sendsMail: web.accountMailer != nil
        )
        account = AccountService(
            accounts: stores.accounts,
            sessions: stores.sessions,
            moderation: stores.moderation,
            passwords: web.passwords,
            failures: LoginThrottle(web.counters),
            secondFactors: stores.secondFactors,
            secondFactorKey: web.secondFactorKey,
            siteName: web.site.name,
            country: web.countries.site,
            mail: web.accountMailer,
            now: web.now
        )
        let limits = MessageLimits(web.limits, web.counters)
        let delivery = Delivery(
            photos: web.photoService,
            mail: web.notificationMailer,
            pushTexts: PushTexts(localization: web.localization),
            sender: web.channelSender,
            now: web.now
        )
        message = MessageService(
            conversations: stores.conversations,
            limits: limits,
            finder: finder,
            delivery: delivery
        )
        sighting = SightingService(
            sightings: stores.sightings,
            limits: limits,
            finder: finder,
            delivery: delivery,
            slowReads: web.slowReads
        )
        match = MatchService(matches: stores.matches, delivery: delivery)
        animal = AnimalService(stores: stores, delivery: delivery)
        batch = ListingBatchService(
            listings: stores.listings, matches: match, breeds: web.breeds, finder: web.gazetteer)
        board = BoardPages(
            renderer: page,
            search: stores.search,
            listings: stores.listings,
            classifications: stores.classifications,
            breeds: web.breeds,
            finder: finder,
            queries: web.queries,
            events: stores.events,
            reunions: stores.reunions
        )
        microchip = MicrochipService(
            microchips: stores.microchips,
            messages: message,
            limits: MicrochipLimits(web.limits, web.counters)
        )
        searchAreas = SearchAreaService(stores: stores, calibrations: web.calibrations, now: web.now)
        track = TrackService(
            tracks: stores.tracks,
            searchAreas: searchAreas,
            limits: TrackLimits(web.limits, web.counters),
            slowReads: web.slowReads
        )
        social = SocialService(
            accounts: stores.socialAccounts,
            posts: stores.socialPosts,
            clients: web.socialClients,
            sender: web.socialSender,
            key: web.secondFactorKey,
            places: finder,
            tests: WebhookLimits(web.limits, web.counters),
            now: web.now
        )
    }
}

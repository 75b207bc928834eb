import HTTP
import Storage

/// The objects that several routes share.
struct Services {
    let account: AccountService
    let message: MessageService
    let sighting: SightingService
    let match: MatchService
    let animal: AnimalService
    let batch: ListingBatchService
    let microchip: MicrochipService
    let searchAreas: SearchAreaService
    let track: TrackService
    let social: SocialService

    init(_ web: WebService) {
        let (site, stores) = (web.site, web.site.stores)
        account = AccountService(
            accounts: stores.accounts,
            sessions: stores.sessions,
            moderation: stores.moderation,
            passwords: web.passwords,
            failures: LoginThrottle(web.counters),
            secondFactors: stores.secondFactors,
            secondFactorKey: web.secondFactorKey,
            siteName: site.settings.name,
            country: site.countries.site,
            mail: web.accountMailer,
            now: site.now
        )
        let limits = MessageLimits(web.limits, web.counters)
        let delivery = Delivery(
            photos: site.photoService,
            mail: web.notificationMailer,
            pushTexts: PushTexts(localization: site.localization),
            sender: web.channelSender,
            now: site.now
        )
        message = MessageService(
            conversations: stores.conversations,
            limits: limits,
            finder: site.finder,
            delivery: delivery
        )
        sighting = SightingService(
            sightings: stores.sightings,
            limits: limits,
            finder: site.finder,
            delivery: delivery,
            slowReads: site.slowReads
        )
        match = MatchService(matches: stores.matches, delivery: delivery)
        animal = AnimalService(stores: stores, delivery: delivery)
        batch = ListingBatchService(
            listings: stores.listings, matches: match, breeds: site.breeds, finder: web.gazetteer)
        microchip = MicrochipService(
            microchips: stores.microchips,
            messages: message,
            limits: MicrochipLimits(web.limits, web.counters)
        )
        searchAreas = SearchAreaService(stores: stores, calibrations: web.calibrations, now: site.now)
        track = TrackService(
            tracks: stores.tracks,
            searchAreas: searchAreas,
            limits: TrackLimits(web.limits, web.counters),
            slowReads: site.slowReads
        )
        social = SocialService(
            accounts: stores.socialAccounts,
            posts: stores.socialPosts,
            clients: web.socialClients,
            sender: web.socialSender,
            key: web.secondFactorKey,
            places: site.finder,
            tests: WebhookLimits(web.limits, web.counters),
            now: site.now
        )
    }
}

import HTTP
import Hummingbird
import Pages
import SQL
import Storage

extension WebService {
    private var privacySetup: PrivacySetup {
        var setup = PrivacySetup()
        setup.tileHost = tiles.flatMap(\.host)
        setup.asksForStreetPictures = streetPictures != nil
        setup.sendsMail = mailer != nil
        setup.keepsDigests = database.engine == .postGIS
        setup.hasBucket = photoService.hasBucket
        return setup
    }

    /// Adds the pages, their forms and the files that pages are made of. These routes ignore unknown parameters.
    func addPages(to forms: RouterGroup<ServiceContext>, _ services: Services) {
        let (renderer, listings) = (services.page, stores.listings)
        AssetRoutes(renderer: renderer, siteName: site.name).add(to: forms)
        SitemapRoutes(search: stores.search, baseURL: baseURL).add(to: forms)
        SitePages(
            renderer: renderer,
            site: site,
            search: stores.search,
            setup: privacySetup,
            slowReads: slowReads,
            now: now
        ).add(to: forms)
        APIReferenceRoutes(renderer: renderer).add(to: forms)
        StatisticsPages(
            renderer: renderer,
            service: statistics,
            work: serviceWork,
            breeds: breeds,
            finder: places
        ).add(to: forms)
        services.board.add(to: forms)
        MapPages(
            renderer: renderer,
            search: stores.search,
            queries: queries,
            places: placeSearch,
            start: site.mapArea,
            asksForStreetPictures: streetPictures != nil,
            basemap: basemapTiles,
            slowReads: slowReads
        ).add(to: forms)
        BasemapRoutes(tiles: basemapTiles).add(to: forms)
        ListingPages(
            renderer: renderer,
            stores: stores,
            searchAreas: services.searchAreas,
            matches: services.match,
            messages: services.message,
            breeds: breeds,
            finder: places,
            queries: queries,
            hours: hours,
            microchipLimits: services.microchip.limits,
            maps: MapPanels(tiles: basemapTiles),
            slowReads: slowReads
        ).add(to: forms)
        ShortAddressPages(renderer: renderer, listings: listings).add(to: forms)
        OrganisationPages(
            renderer: renderer,
            organisations: stores.organisations,
            countries: countries,
            search: stores.search,
            now: now
        ).add(to: forms)
        MemberPages(
            renderer: renderer,
            organisations: stores.organisations,
            countries: countries,
            mail: accountMailer,
            now: now
        ).add(to: forms)
        SocialPages(renderer: renderer, organisations: stores.organisations, service: services.social).add(to: forms)
        AnimalRecordPages(renderer: renderer, listings: listings, records: stores.animalRecords).add(to: forms)
        TablePages(
            renderer: renderer,
            organisations: stores.organisations,
            records: stores.animalRecords,
            batches: services.batch,
            matches: stores.matches,
            microchips: services.microchip,
            queries: queries,
            slowReads: slowReads,
            now: now
        ).add(to: forms)
        MatchPages(
            renderer: renderer,
            listings: listings,
            conversations: stores.conversations,
            service: services.match
        ).add(to: forms)
        OrganisationMatchPages(
            renderer: renderer,
            organisations: stores.organisations,
            matches: stores.matches,
            listings: listings
        ).add(to: forms)
        AnimalPages(
            renderer: renderer,
            listings: listings,
            service: services.animal,
            matches: stores.matches,
            moderation: stores.moderation
        ).add(to: forms)
        let reporter = SightingReporter(
            renderer: renderer,
            service: services.sighting,
            accountService: services.account,
            listings: listings
        )
        SightingPages(reporter: reporter).add(to: forms)
        AlertPages(
            renderer: renderer,
            service: alerts,
            accountService: services.account,
            listings: listings,
            settings: stores.notifications
        ).add(to: forms)
        ImportPages(renderer: renderer, service: imports, feeds: importFeeds, now: now).add(to: forms)
        TrackPages(renderer: renderer, service: services.track, listings: listings).add(to: forms)
        PostPages(
            renderer: renderer,
            accountService: services.account,
            listings: listings,
            organisations: stores.organisations,
            breeds: breeds,
            finder: places,
            microchipLimits: services.microchip.limits,
            matches: stores.matches,
            reporter: reporter,
            slowReads: slowReads
        ).add(to: forms)
        let messages = MessagePages(
            renderer: renderer,
            messages: services.message,
            accountService: services.account,
            listings: listings,
            queries: queries,
            matches: stores.matches,
            reports: stores.reports
        )
        messages.add(to: forms)
        SightingAuthorPages(pages: messages).add(to: forms)
        MicrochipPages(renderer: renderer, service: services.microchip, accountService: services.account)
            .add(to: forms)
        let accounts = AccountPages(renderer: renderer, accountService: services.account, photos: stores.photos)
        accounts.add(to: forms)
        SecondFactorPages(
            renderer: renderer,
            accountService: services.account,
            requirement: secondFactorRequirement
        ).add(to: forms)
        personalData.add(to: forms, at: "/account/export")
        EmailTokenPages(renderer: renderer, accountService: services.account, account: accounts).add(to: forms)
        ReportPages(renderer: renderer, reports: stores.reports, accountService: services.account, listings: listings)
            .add(to: forms)
        ModerationPages(
            renderer: renderer,
            reports: stores.reports,
            moderation: stores.moderation,
            listings: listings,
            queries: queries,
            audit: stores.audit,
            pois: stores.pois,
            mail: notificationMailer
        ).add(to: forms)
    }
}

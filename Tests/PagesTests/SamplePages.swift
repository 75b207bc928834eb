import Domain
import Foundation
import Localization

@testable import Pages

/// A page with sample data.
struct SamplePage {
    let name: String
    let render: (Pages, PageContext) -> [UInt8]

    init(_ name: String, _ render: @escaping (Pages, PageContext) -> [UInt8]) {
        self.name = name
        self.render = render
    }

    init(_ name: String, _ page: @escaping (PageBuilder) -> some PageView) {
        self.init(name) { $0.render(for: $1, page) }
    }

    func html(_ pages: Pages, _ visit: PageContext) -> String { String(decoding: render(pages, visit), as: UTF8.self) }
}

extension Samples {
    /// All pages of the site, each with everything on it and with nothing.
    func pages(_ pages: Pages, _ language: Language) throws -> [SamplePage] {
        let visit = PageContext(language: language, viewer: nil, origin: "https://dogs.example.org", address: "/api")
        let reference = String(decoding: pages.render(for: visit, interface), as: UTF8.self)
        let others = statistics + explanations + accounts + listings
        return try boards(reference) + forms() + messages + organisations + secondFactors + moderation + others
    }

    private func boards(_ reference: String) -> [SamplePage] {
        let filters = BoardFilters(Dictionary(uniqueKeysWithValues: BoardFilters.names.map { ($0, hostile) }))
        let town = BoardFilters(["place": "Fisciano", "status": "lost", "species": "dog", "radius": "5000"])
        let none = BoardFilters([:])
        func result(_ filters: BoardFilters, _ change: (inout BoardResult) -> Void = { _ in }) -> BoardResult {
            var result = BoardResult(filters)
            change(&result)
            return result
        }
        let board = result(filters) {
            ($0.cards, $0.next, $0.feed) = ([card, otherCard], "/board?cursor=x", "/feeds/x")
            ($0.lastEvent, $0.problem) = (7, place)
            $0.reunions = [listing, other]
        }
        let read = result(filters) {
            $0.search = reading
            $0.search.alternatives = [(hostile, 3, true), (hostile, 40, false)]
        }
        let likely = result(none) { ($0.lastEvent, $0.likely) = (7, [(hostile, 0.5)]) }
        return [
            .init("board") { $0.board(board) },
            .init("embed") { $0.embeddedBoard(board, whole: "/board?q=\(hostile)") },
            .init("board-reading") { $0.board(read) },
            .init("board-empty") { $0.board(likely) },
            .init("board-plain") { $0.board(result(none) { ($0.cards, $0.count) = ([card], (1, true)) }) },
            .init("board-town") { $0.board(result(town) { $0.count = (30, false) }) },
            .init("board-in") { $0.board(result(BoardFilters(["place": "Fisciano", "status": "found,sighted"]))) },
            .init("board-unclear") { $0.board(result(town) { $0.problem = unclear }) },
            .init("embed-empty") { $0.embeddedBoard(result(none), whole: "/board") },
            .init("map") {
                $0.map(
                    text: hostile,
                    words: hostile,
                    address: hostile,
                    hasAddresses: true,
                    search: read.search,
                    centre: point,
                    zoom: 9,
                    cards: [card],
                    asksForStreetPictures: true,
                    problem: unclear
                )
            },
            .init("map-empty") { $0.map(centre: nil, zoom: 9, cards: []) },
            .init("cards") { $0.cards([card, otherCard]) },
            .init("card") { $0.card(card) },
            .init("card-2") { $0.card(otherCard) },
            .init("my") {
                $0.myListings(
                    filters: filters, reading: reading.reading, [(listing, 2), (other, 0)], next: "/x", problem: place)
            },
            .init("my-empty") { $0.myListings(filters: BoardFilters([:]), [], next: nil) },
            .init("forget") { $0.forget() },
            .init("photo-search") { $0.photoSearch() },
            .init("photo-search-2") {
                $0.photoSearch(
                    typed: ["place": hostile, "status": PhotoSearchView.foundOrSighted, "lon": "1", "lat": "2"],
                    problem: "photo.noBreed"
                )
            },
            .init("api") { $0.api(reference) },
            .init("about") { $0.about(BoardFigures(), tileHost: nil) },
            .init("statement") { $0.statement(.imprint, text: hostile) },
            .init("statement-2") { $0.statement(.privacy, text: hostile) },
            .init("default-imprint") { $0.defaultImprint() },
            .init("default-privacy") { $0.defaultPrivacy(PrivacySetup()) },
            .init("default-privacy-2") {
                var setup = PrivacySetup()
                setup.tileHost = hostile
                (setup.asksForStreetPictures, setup.sendsMail) = (true, true)
                (setup.keepsDigests, setup.hasBucket) = (true, true)
                return $0.defaultPrivacy(setup)
            },
        ]
    }

    private func forms() throws -> [SamplePage] {
        let number = try Microchip(parsing: "380260000000001")
        return [
            .init("form") { $0.form(nil, ListingForm.values(for: nil)) },
            .init("form-account") { $0.form(nil, ListingForm.values(for: account(.user))) },
            .init("form-owners") { $0.form(nil, ListingForm.values(for: nil), memberships: memberships) },
            .init("form-edit") { $0.form(listing, ListingForm.values(editing: listing, in: .gmt)) },
            .init("form-typed") {
                $0.form(
                    nil,
                    ["name": hostile, "description": hostile, "lon": "1", "lat": "2", "location_precision": "exact"],
                    problem: unclear
                )
            },
            .init("form-photo") { $0.form(listing, ["key": "k"], problem: .invalid("photo", "\(hostile)")) },
            .init("form-lookalikes") { $0.form(nil, ["status": "sighted"], lookalikes: matches) },
            .init("form-status") { $0.form(nil, [:], problem: .invalid("status", "\(hostile)")) },
            .init("form-seen") { $0.form(nil, [:], problem: .invalid("last_seen_at", "\(hostile)")) },
            .init("form-breed") { $0.form(nil, [:], problem: .invalid("breed", "\(hostile)")) },
            .init("form-phone") {
                $0.form(nil, ["contact_phone_public": "yes"], problem: .invalid("contact_phone", "\(hostile)"))
            },
            .init("delete") { $0.delete(listing: listing) },
            .init("delete-account") { $0.delete(listing: nil, problem: place) },
            .init("microchip") { $0.microchip() },
            .init("microchip-wrong") {
                $0.microchip(typed: ["number": hostile], problem: .invalid("number", "\(hostile)"))
            },
            .init("microchip-listed") {
                $0.microchip(
                    number,
                    isListed: true,
                    typed: ["text": hostile, "contact_name": hostile],
                    problem: place
                )
            },
            .init("table-microchip-own") {
                $0.table(values: [:], listings: [], count: 1, scanned: .own([listing, other], number))
            },
            .init("table-microchip") {
                $0.table(values: [:], listings: [], count: 1, scanned: .board(number))
            },
            .init("table-microchip-unknown") {
                $0.table(
                    values: ["arrived": "today"], listings: [], count: 1,
                    figures: .init(open: 0, new: 0, withOwners: nil),
                    scanned: .unknown(number)
                )
            },
            .init("microchip-missing") { $0.microchip(number) },
            .init("alerts") {
                $0.alerts(
                    [
                        (searchAlert, listing: nil, town: hostile, found: [listing, other]),
                        (matchAlert, listing: listing, town: nil, found: []),
                    ],
                    NotificationSettings(),
                    problem: place,
                    typed: ["place": hostile, "q": hostile, "status": "lost", "radius": "5000"]
                )
            },
            .init("alerts-empty") { $0.alerts([], NotificationSettings()) },
            .init("unsubscribe") { $0.unsubscribe(action: "/unsubscribe/x", isOne: true) },
            .init("unsubscribe-narrow") { $0.unsubscribe(action: "/unsubscribe/x", isOne: true, radii: [1000, 5000]) },
            .init("unsubscribe-narrowed") { $0.unsubscribe(action: nil, isDone: true, radius: 5000) },
            .init("unsubscribe-all") { $0.unsubscribe(action: "/unsubscribe/x") },
            .init("unsubscribe-unknown") { $0.unsubscribe(action: nil) },
            .init("unsubscribe-done") { $0.unsubscribe(action: nil, isDone: true) },
            .init("track") { $0.track(of: listing) },
            .init("track-typed") {
                $0.track(
                    of: listing,
                    typed: ["name": hostile, "kind": "collar", "visibility": "everyone"],
                    problem: place
                )
            },
            .init("sighting") {
                $0.sighting(
                    of: listing,
                    typed: [
                        "key": "k", "text": hostile, "contact_phone": hostile, "lon": "1", "lat": "2", "place": hostile,
                        "seen_at": hostile, "time_zone": "UTC",
                    ],
                    problem: unclear
                )
            },
            .init("sighting-seen") {
                $0.sighting(of: other, typed: ["key": "k"], problem: .invalid("seen_at", "\(hostile)"))
            },
            .init("sighting-phone") {
                $0.sighting(of: other, typed: ["key": "k"], problem: .invalid("contact_phone", "\(hostile)"))
            },
            .init("sighting-photo") {
                $0.sighting(of: other, typed: ["key": "k"], problem: .invalid("photo", "\(hostile)"))
            },
            .init("report") {
                $0.report(
                    .listing,
                    Samples.id(60),
                    isAppeal: false,
                    listing: listing,
                    typed: ["text": hostile, "reason": "scam"],
                    problem: .invalid("reason", "\(hostile)")
                )
            },
            .init("report-appeal") {
                $0.report(
                    .listing,
                    Samples.id(60),
                    isAppeal: true,
                    listing: listing,
                    problem: ServiceError(.conflict, "x")
                )
            },
            .init("report-photo") { $0.report(.photo, Samples.id(60), isAppeal: false, listing: nil) },
        ]
    }

    private var messages: [SamplePage] {
        [
            .init("write") {
                $0.write(
                    about: listing,
                    nil,
                    MessageForm(
                        key: "k",
                        ["text": hostile, "mark": hostile, "lon": "1", "lat": "2", "contact_name": hostile],
                        problem: hostile
                    )
                )
            },
            .init("write-new") { $0.write(about: other, nil, MessageForm(key: "k")) },
            .init("write-sighting") { $0.write(about: listing, sighting(.confirmed, 1), MessageForm(key: "k")) },
            .init("inbox") {
                $0.inbox(
                    [conversation, blocked],
                    about: listing,
                    values: ["q": hostile, "listing": "x"],
                    reading: reading.reading,
                    problem: place,
                    sightings: [(listing.id, hostile, .dog, 1), (listing.id, nil, .cat, 2)],
                    blocks: [(listing.id, hostile, time), (listing.id, nil, time)],
                    next: "/inbox?cursor=x"
                )
            },
            .init("inbox-empty") { $0.inbox([], next: nil) },
            .init("inbox-nothing") { $0.inbox([], values: ["q": hostile], next: nil) },
            .init("conversation") {
                $0.conversation(
                    conversation,
                    [message(isMine: false), message(isMine: true)],
                    older: "/x",
                    meeting: (listing.id, other.id),
                    MessageForm(key: "k"),
                    host: "x"
                )
            },
            .init("conversation-typed") {
                $0.conversation(
                    conversation,
                    [],
                    older: nil,
                    MessageForm(key: "k", ["contact_phone": hostile, "text": hostile], problem: hostile),
                    host: "x"
                )
            },
            .init("conversation-blocked") {
                $0.conversation(blocked, [blocked.last], older: nil, MessageForm(key: "k"), host: "x")
            },
        ]
    }

    private var organisations: [SamplePage] {
        [
            .init("imports") {
                $0.imports(
                    [listingImport(.running, isDryRun: true), listingImport(.done, isDryRun: false)],
                    feeds: feeds,
                    lastImports: [Samples.id(30): listingImport(.done, isDryRun: false)],
                    organisations: [1: organisation],
                    memberships: memberships,
                    rooms: [(nil, 12), (hostile, 1_234), (hostile, nil)],
                    canImport: true,
                    typed: ["source": hostile, "url": hostile, "mapping": "asm3"],
                    problem: place
                )
            },
            .init("imports-guest") { $0.imports([], feeds: [], canImport: false) },
            .init("import") { $0.importReport(listingImport(.done, isDryRun: true), importReport(isDraft: true)) },
            .init("import-failed") {
                $0.importReport(
                    listingImport(.failed, isDryRun: false), ImportReport(nil, mistakes: [], room: nil, draft: nil))
            },
            .init("import-running") {
                $0.importReport(listingImport(.running, isDryRun: false), importReport(isDraft: false))
            },
            .init("matches") {
                $0.matches(of: listing, isOwner: true, matches, considered: 1_000, noneProbability: 0.7, next: "/x")
            },
            .init("matches-reader") {
                $0.matches(of: listing, isOwner: false, matches, considered: 1, noneProbability: 0.2, next: nil)
            },
            .init("matches-same") {
                $0.matches(
                    of: listing, .same, isOwner: false, isModerator: true, sameAnimal, considered: 1,
                    noneProbability: 0.2,
                    next: nil
                )
            },
            .init("organisation-matches") {
                $0.organisationMatches(
                    organisationMatches, of: organisation, removed: (listing, other), cursor: hostile, next: "/x")
            },
            .init("animal-record") { $0.animalRecord(record, of: listing) },
            .init("animal-record-problem") {
                $0.animalRecord(
                    typed: ["intake_on": hostile, "kennel": hostile], of: other,
                    problem: .invalid("intake_on", "\(hostile)")
                )
            },
            .init("organisation-matches-none") { $0.organisationMatches([], of: organisation) },
            .init("animal") { $0.animal(animal, of: listing, isOwner: true, isModerator: false) },
            .init("animal-moderator") { $0.animal(animal, of: other, isOwner: false, isModerator: true) },
            .init("meeting") {
                $0.meeting(listing, other, MatchAnswers(other: .yes), match(other.key, MatchAnswers()))
            },
            .init("meeting-agreed") {
                $0.meeting(
                    listing, other, MatchAnswers(own: .yes, other: .yes), phone: hostile, conversation: hostile)
            },
            .init("meeting-home") {
                $0.meeting(listing, other, MatchAnswers(own: .yes, other: .yes, linkedAt: time), canUndo: true)
            },
            .init("ended-session") {
                $0.endedSession(["text": hostile, "key": hostile], action: "/inbox/x", hasPhotos: true)
            },
            .init("home") { $0.home(listing, HomeContext(former: .lost, helpers: 2)) },
            .init("home-match") {
                $0.home(other, HomeContext(former: .found, partner: listing, helpers: 1, isShown: true))
            },
            .init("matches-none") {
                $0.matches(of: other, isOwner: true, [], considered: 0, noneProbability: 1, next: nil)
            },
            .init("organisation") { $0.organisation(organisation, in: "IT", cards: [card], next: "/x") },
            .init("organisation-embed") { $0.embeddedOrganisation(organisation, cards: [card]) },
            .init("organisation-empty") { $0.organisation(unverified, in: nil, cards: [], next: nil) },
            .init("own-organisations") {
                $0.ownOrganisations(
                    memberships: memberships,
                    invitations: [invitation],
                    canCreate: true,
                    typed: ["name": hostile, "about": hostile],
                    problem: .invalid("website", "\(hostile)")
                )
            },
            .init("own-organisations-guest") {
                $0.ownOrganisations(memberships: [], invitations: [], canCreate: false)
            },
            .init("members") {
                $0.members(
                    [
                        .init(id: account(.user).id, name: hostile, role: .manager, since: time),
                        .init(id: Samples.id(50), name: nil, role: .volunteer, since: time),
                    ],
                    of: organisation,
                    viewer: account(.user),
                    management: ([invitation], keys),
                    token: "dgf_x",
                    typed: ["name": hostile, "email": hostile, "role": "manager"],
                    problem: .invalid("email", "\(hostile)")
                )
            },
            .init("members-factor") {
                $0.members(
                    [.init(id: Samples.id(50), name: nil, role: .volunteer, since: time)],
                    of: strict,
                    viewer: account(.user),
                    management: ([], []),
                    typed: ["action": "profile", "name": hostile, "website": hostile],
                    problem: .invalid("website", "\(hostile)")
                )
            },
            .init("social") {
                $0.social(
                    [
                        (social(.telegram, isPaused: true, problem: .chat), hostile, 1_000),
                        (social(.mastodon, isPaused: false, problem: nil), nil, 1),
                    ],
                    of: organisation,
                    typed: [
                        "server": hostile, "chat": hostile, "place": hostile, "service": "mastodon", "radius": "50",
                    ],
                    problem: .invalid("server", "\(hostile)")
                )
            },
            .init("social-chat") {
                $0.social([], of: nil, typed: ["chat": hostile], problem: .invalid("chat", "\(hostile)"))
            },
            .init("social-full") {
                $0.social(
                    (0..<5).map { _ in (social(.mastodon, isPaused: false, problem: .token), hostile, 0) },
                    of: nil,
                    problem: .invalid("place", "\(hostile)")
                )
            },
            .init("organisation-actions") {
                $0.organisationActions(organisationActions, of: organisation, next: "/x")
            },
            .init("organisation-actions-none") { $0.organisationActions([], of: organisation, next: nil) },
            .init("members-volunteer") {
                $0.members(
                    [.init(id: account(.user).id, name: hostile, role: .manager, since: time)],
                    of: organisation,
                    viewer: account(.user),
                    management: nil,
                    problem: .invalid("name", "\(hostile)")
                )
            },
            .init("table") {
                $0.table(
                    values: [
                        "q": hostile, "status": "lost", "species": "dog", "sort": "name", "kennel": "C 1",
                        "organisation": Samples.id(16).uuidString.lowercased(),
                    ],
                    listings: [listing, other],
                    count: 1_000,
                    records: [listing.key: record],
                    kennels: ["B 12", hostile],
                    reading: reading.reading,
                    memberships: memberships,
                    figures: .init(open: 1, new: 2, withOwners: 3),
                    changed: TableView.Change(action: "closed", codes: [listing.code.text], failed: 2, canUndo: true),
                    previous: "/p",
                    next: "/n",
                    problem: place
                )
            },
            .init("table-microchip-problem") {
                $0.table(
                    values: [:], listings: [], count: 1,
                    scanned: .problem(.invalid("number", "\(hostile)"), typed: hostile)
                )
            },
            .init("table-empty") { $0.table(values: [:], listings: [], count: 1) },
        ]
    }

    private var secondFactors: [SamplePage] {
        [
            .init("factor-off") {
                $0.secondFactor(
                    .off,
                    isRequired: true,
                    email: hostile,
                    rejection: (.begin, .invalid("current_password", "\(hostile)"))
                )
            },
            .init("factor-enrol") {
                $0.secondFactor(
                    .enrolment(secret: "ABCDEFGHIJ", address: "otpauth://totp/x?secret=ABC", sealed: hostile),
                    isRequired: false,
                    email: hostile,
                    rejection: (.confirm, .invalid("code", "\(hostile)"))
                )
            },
            .init("factor-on") {
                $0.secondFactor(
                    .on(since: time, recoveryCodesLeft: 1),
                    isRequired: false,
                    email: hostile,
                    rejection: (.remove, .invalid("code", "\(hostile)"))
                )
            },
            .init("recovery-codes") { $0.recoveryCodes([hostile, "b"], email: hostile, siteName: hostile) },
            .init("sign-in-code") { $0.signInCode(ticket: hostile, next: hostile, problem: place) },
            .init("sign-in-recovery") { $0.signInCode(ticket: hostile, next: nil, problem: place, isRecovery: true) },
        ]
    }

    private var moderation: [SamplePage] {
        [
            .init("moderation") { page in
                page.moderation(
                    [
                        reported(page, .photo, listing: listing, ban: Ban(reason: .spam, until: time)),
                        reported(page, .message, listing: nil, ban: nil),
                        reported(page, .listing, listing: other, ban: nil),
                        reported(page, .sighting, listing: nil, ban: Ban(reason: .spam, until: nil)),
                    ],
                    values: ["q": hostile, "status": "open"],
                    reading: reading.reading,
                    status: .open,
                    isByCount: true,
                    next: "/moderation?cursor=1.1",
                    hasNoHelp: true,
                    problem: .conflict
                )
            },
            .init("moderation-empty") {
                $0.moderation([], values: [:], status: .upheld, isByCount: false, next: nil, searchProblem: place)
            },
            .init("confirmation") {
                $0.moderationConfirmation(
                    .hide,
                    of: .listing,
                    listing: listing,
                    report: Samples.id(40),
                    fields: ["reason": "scam", "days": "7", "status": "open", "note": hostile]
                )
            },
            .init("confirmation-2") {
                $0.moderationConfirmation(
                    .remove,
                    of: .sighting,
                    listing: nil,
                    report: Samples.id(40),
                    fields: ["reason": "scam"]
                )
            },
            .init("audit") {
                $0.audit(
                    [
                        Audit.Entry(
                            id: 1,
                            at: time.text,
                            actor: hostile,
                            action: "listing.hide",
                            subject: hostile,
                            note: hostile,
                            digest: Data(count: 32)
                        ),
                        Audit.Entry(
                            id: 2,
                            at: time.text,
                            actor: hostile,
                            action: "listing.hide",
                            subject: nil,
                            note: nil,
                            digest: Data(count: 32)
                        ),
                    ],
                    action: .listingHide,
                    actor: hostile,
                    subject: hostile,
                    next: "/x"
                )
            },
            .init("audit-empty") { $0.audit([], action: nil, actor: "", subject: "", next: nil) },
            .init("ban") { $0.ban(Ban(reason: .scam, until: nil)) },
            .init("ban-until") { $0.ban(Ban(reason: .spam, until: time)) },
        ]
    }

    private var statistics: [SamplePage] {
        var list: [SamplePage] = []
        for work in [nil, work] {
            list.append(
                .init("statistics\(work == nil ? "" : "-work")") {
                    $0.statistics(figures, regions: [hostile, "B"], species: .dog, region: "C", work: work)
                }
            )
        }
        return list
    }

    private var explanations: [SamplePage] {
        var list: [SamplePage] = []
        for message in MessageView.Message.allCases {
            list.append(.init("message-\(message)") { $0.message(message, next: hostile) })
        }
        list.append(.init("message-problem") { $0.message(.failure, problem: place) })
        for step in VerificationView.Step.allCases {
            list.append(.init("step-\(step)") { $0.verification(step, token: hostile, problem: place) })
        }
        return list
    }

    private var accounts: [SamplePage] {
        var list: [SamplePage] = []
        for account in [nil, account(.guest), account(.user), account(.admin)] {
            let name = account?.role.rawValue ?? "none"
            list.append(
                .init("account-\(name)") {
                    $0.account(
                        account,
                        sessions: account == nil ? [] : sessions,
                        current: Data([1]),
                        canConfirm: true,
                        next: hostile
                    )
                }
            )
            for form in AccountView.Form.allCases {
                list.append(
                    .init("account-\(name)-\(form)") {
                        $0.account(
                            account,
                            sessions: [],
                            rejection: (
                                form, ["email": hostile, "first_name": hostile],
                                .invalid(
                                    form == .picture
                                        ? "photo"
                                        : form == .password
                                            ? "current_password" : form == .register ? "password" : "email",
                                    "\(hostile)"
                                )
                            )
                        )
                    }
                )
            }
        }
        return list
    }

    private var listings: [SamplePage] {
        var list: [SamplePage] = []
        for isOwner in [true, false] {
            var page = ListingContext(isOwner: isOwner, isNew: isOwner)
            if isOwner {
                (page.steps, page.matches, page.hasMoreMatches) = ((help, []), matches, true)
                (page.sameAnimal, page.listingsOfAnimal) = (sameAnimal, 3)
                page.readers = 12
                page.told = [
                    ToldReaders(.mail, messages: 128, firstAt: listing.createdAt, lastAt: listing.updatedAt),
                    ToldReaders(.push, messages: 4, firstAt: listing.createdAt, lastAt: listing.createdAt),
                ]
                page.copies = [(1, Self.id(43), 2), (2, listing.id, 1)]
                page.partners = [(other, MatchAnswers(other: .yes)), (listing, MatchAnswers(own: .yes))]
            }
            (page.sightings, page.timeline, page.attachable, page.ofBlocked) = (
                sightings, timeline, [attached], [sighting(.confirmed, 2).id]
            )
            page.searchArea = area.map { ($0, true, help) }
            page.tracks = tracks
            list.append(.init("listing-\(isOwner)") { [page] in $0.listing(listing, page) })
            page = ListingContext(isOwner: isOwner)
            page.isForOrganisation = true
            page.canDelete = false
            list.append(.init("listing-other-\(isOwner)") { [page] in $0.listing(other, page) })
            list.append(.init("listing-plain-\(isOwner)") { $0.listing(listing, ListingContext(isOwner: isOwner)) })
        }
        return list
    }

    /// Feeds, and the reference of the interface without its frame.
    func parts() -> [SamplePage] {
        let filters = BoardFilters(["place": hostile])
        var list = [SamplePage("api-reference", interface)]
        for format in [FeedFormat.atom, .rss] {
            for own in ["a", "b"] {
                list.append(
                    SamplePage("feed-\(format)-\(own)") { pages, visit in
                        pages.feed(
                            format,
                            of: [listing, other],
                            filters: filters,
                            ("a", own, own == "a" ? "n" : nil, "/board"),
                            for: visit
                        )
                    }
                )
            }
        }
        return list
    }
}

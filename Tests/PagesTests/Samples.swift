import Domain
import Foundation
import Localization
import OpeningHours
import SearchText
import TestSupport
import Testing

@testable import Matching
@testable import Pages
@testable import SearchAreas

/// Data with hostile text in every field, for pages with everything on them.
struct Samples {
    static let hostile = #"</script><script>alert(1)</script>"onload='x' {{t.board.title}} & <b>"#
    static let code = ListingCode("7KF3M2Q") ?? .random()
    let hostile = Self.hostile
    let place = ServiceError.invalid("place", "\(hostile)")
    let point: Coordinate
    let listing: Listing
    let other: Listing
    /// A search with a part of each kind of chip.
    let reading: SearchResult
    let time = Timestamp(milliseconds: 1_780_000_000_000)

    static func id(_ number: Int) -> UUID {
        UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, UInt8(number)))
    }

    init() throws {
        let reader = SearchTextReader(
            .shared(try Bundled.breeds()), finder: try Bundled.gazetteer(), language: .italian)
        reading = SearchResult(try reader.read("cagnolina labardor \(Self.hostile) 380260000123456"))
        point = try #require(Coordinate(lon: 14.79, lat: 40.77))
        var content = ListingContent()
        content.status = .lost
        content.name = Self.hostile
        content.breed = Self.hostile
        content.lastSeenAt = time
        content[.colour] = Self.hostile
        content[.reward] = "100"
        content[.marks] = Self.hostile
        content[.secretMark] = Self.hostile
        content.description = Self.hostile
        content.contactName = .init(value: Self.hostile, isPublic: true)
        content.contactPhone = .init(value: "+39 089 1", isPublic: true)
        content.contactEmail = .init(value: "a'b@example.org", isPublic: true)
        content[.microchip] = "380260000000001"
        var location = ListingLocation(coordinate: point, approximate: true)
        location.place = Self.hostile
        location.region = Self.hostile
        location.countryCode = "IT"
        location.exact = point
        let photos = try (1...2).map { number in
            let id = Self.id(number).uuidString.lowercased()
            let json = """
                {"number":\(number),"width":8,"height":6,"url":"/photos/\(id)-1600.jpg","medium":"/photos/\(id)-800.jpg",\
                "thumbnail":"/photos/\(id)-320.jpg"}
                """
            return try JSONDecoder().decode(ListingPhoto.self, from: Data(json.utf8))
        }
        let organisation = Organisation.Label(id: Self.id(9), name: Self.hostile, isVerified: true)
        listing = Listing(
            key: 1,
            id: Self.id(10),
            code: Self.code,
            owner: 1,
            version: 3,
            hidden: false,
            hiddenReason: nil,
            content: content,
            location: location,
            photos: photos,
            expiresAt: Timestamp.now.adding(days: 1),
            createdAt: time,
            updatedAt: time,
            organisation: organisation
        )
        content.name = nil
        content.status = .closed
        content.contactPhone = .init()
        other = Listing(
            key: 2,
            id: Self.id(11),
            code: .random(),
            owner: 2,
            version: 3,
            hidden: true,
            hiddenReason: .spam,
            content: content,
            location: location,
            photos: [],
            expiredFrom: .found,
            createdAt: time,
            updatedAt: time,
            origin: ListingOrigin(url: "https://other.example/listings/\(Self.hostile)")
        )
    }

    func account(_ role: Account.Role) -> Account {
        Account(
            key: 1,
            id: Self.id(12),
            role: role,
            email: role == .guest ? nil : "a@example.org",
            isEmailConfirmed: false,
            profile: Profile(firstName: hostile, lastName: hostile, phone: hostile, picture: "/photos/x-320.jpg"),
            disabled: false,
            hasSecondFactor: role == .admin,
            createdAt: time
        )
    }

    var town: Place {
        var town = Place(coordinate: point)
        town.comune = hostile
        return town
    }

    var unclear: ServiceError { .unclearTown([town]) }

    var photo: StoredPhoto { StoredPhoto(id: Self.id(13), width: 8, height: 6) }

    var card: ListingCard { .init(listing, distance: 1_234) }
    var otherCard: ListingCard { .init(other) }

    var conversation: Conversation {
        Conversation(
            key: 1,
            id: Self.id(14),
            subject: .init(
                id: listing.id,
                name: hostile,
                species: .dog,
                status: .lost,
                isHidden: false,
                asksForMark: true
            ),
            role: .owner,
            correspondent: hostile,
            unread: 2,
            isBlocked: false,
            createdAt: time,
            last: message(isMine: false)
        )
    }

    var blocked: Conversation {
        Conversation(
            key: 1,
            id: Self.id(14),
            subject: .init(
                id: listing.id,
                name: nil,
                species: .dog,
                status: .reunited,
                isHidden: true,
                asksForMark: false
            ),
            role: .writer,
            correspondent: nil,
            unread: 0,
            isBlocked: true,
            createdAt: time,
            last: message(isMine: true)
        )
    }

    func message(isMine: Bool) -> Message {
        let content = MessageContent(
            text: hostile + " mandami soldi",
            contactName: hostile,
            contactPhone: hostile,
            contactEmail: hostile,
            mark: hostile,
            point: point
        )
        return Message(
            key: 1,
            id: Self.id(15),
            isMine: isMine,
            content: content,
            markMatches: isMine ? nil : false,
            place: hostile,
            photo: isMine ? nil : photo,
            createdAt: time
        )
    }

    var organisation: Organisation {
        var content = Organisation.Content()
        content.name = hostile
        content.about = hostile
        content.website = "https://example.org"
        content.phone = "+39 089 2"
        content.email = "b@example.org"
        content.address = hostile
        content.point = point
        return Organisation(
            key: 3,
            id: Self.id(16),
            content: content,
            verifiedAt: time,
            version: 1,
            createdAt: time
        )
    }

    var unverified: Organisation {
        var content = Organisation.Content()
        content.name = hostile
        return Organisation(key: 4, id: Self.id(17), content: content, verifiedAt: nil, version: 1, createdAt: time)
    }

    func social(
        _ service: SocialAccount.Service,
        isPaused: Bool,
        problem: SocialAccount.Problem?
    ) -> SocialAccount {
        SocialAccount(
            key: 1,
            id: Self.id(60),
            owner: nil,
            address: .init(service: service, server: nil, chat: nil),
            name: hostile,
            selection: .init(
                centre: point,
                radius: 25_000,
                species: service == .telegram ? .cat : nil,
                language: .italian
            ),
            isPaused: isPaused,
            problem: problem,
            problemAt: problem == nil ? nil : Timestamp(milliseconds: 1_780_000_000_000),
            createdAt: Timestamp(milliseconds: 1_780_000_000_000)
        )
    }

    /// An organisation that requires a second factor.
    var strict: Organisation {
        var content = Organisation.Content()
        content.name = hostile
        return Organisation(
            key: 5, id: Self.id(60), content: content, verifiedAt: nil, requiresSecondFactor: true, version: 1,
            createdAt: time)
    }

    var organisationActions: [OrganisationAction] {
        OrganisationAction.Kind.allCases.enumerated().map { number, kind in
            OrganisationAction(
                key: Int64(number + 1),
                at: time,
                kind: kind,
                actor: number == 0 ? nil : Self.id(50),
                actorName: number < 2 ? nil : hostile,
                subject: number == 3 ? nil : Self.id(51),
                detail: [.invite, .join, .setRole].contains(kind)
                    ? "manager" : number == 1 ? nil : kind == .importListings ? "1/2/3 \(hostile)" : hostile,
                keyName: number == 4 ? hostile : nil
            )
        }
    }

    var memberships: [Organisation.Membership] {
        [.init(organisation: organisation, role: .manager), .init(organisation: unverified, role: .volunteer)]
    }

    var invitation: Organisation.Invitation {
        .init(
            id: Self.id(18),
            organisation: .init(id: Self.id(16), name: hostile, isVerified: true),
            email: hostile,
            role: .volunteer,
            createdAt: time,
            expiresAt: time
        )
    }

    func sighting(_ state: Sighting.State, _ number: Int, isMine: Bool = false) -> Sighting {
        Sighting(
            id: Self.id(20 + number),
            state: state,
            isMine: isMine,
            point: point,
            isApproximate: number == 1,
            place: hostile,
            seenAt: time,
            text: hostile,
            contactPhone: "+39 089 3",
            attached: number == 1 ? attached : nil,
            photo: number == 2 ? photo : nil,
            createdAt: time
        )
    }

    var attached: Sighting.AttachedListing { .init(id: Self.id(11), name: hostile, species: .dog) }

    var sightings: [Sighting] {
        [
            sighting(.proposed, 1), sighting(.confirmed, 2), sighting(.dismissed, 3),
            sighting(.proposed, 4, isMine: true),
        ]
    }

    var timeline: [TimelineEntry] {
        [
            TimelineEntry(at: time, kind: .posted, status: .lost),
            TimelineEntry(at: time, kind: .sighting, sighting: sighting(.confirmed, 2)),
            TimelineEntry(at: time, kind: .reunion, other: attached),
        ]
    }

    func match<Value>(
        _ value: Value,
        _ answers: MatchAnswers,
        _ side: MatchSide = .other
    ) -> PossibleMatch<Value> {
        PossibleMatch(
            key: 2,
            probability: 0.6,
            bits: 3,
            distance: 1_000,
            days: 1,
            side: side,
            evidence: [
                Evidence(kind: .distance, level: "near", bits: 3), Evidence(kind: .days, level: "x", bits: 2),
                Evidence(kind: .colour, level: "other", bits: -3),
            ],
            answers: answers,
            value: value
        )
    }

    var record: AnimalRecord {
        var record = AnimalRecord()
        (record[.intakeDay], record[.intake], record[.kennel]) = ("2026-11-20", hostile, hostile)
        record[.behaviour] = hostile
        return record
    }

    var organisationMatches: [OrganisationMatch<Listing>] {
        let states: [MatchAnswers] = [.init(), .init(other: .yes), .init(own: .yes), .init(own: .yes, other: .yes)]
        return states.map { OrganisationMatch(animal: other, match: match(listing, $0)) }
    }

    var sameAnimal: [PossibleMatch<Listing>] { [match(other, MatchAnswers(), .same)] }

    var animal: Animal { Animal([(listing, sightings), (other, [])]) }

    var matches: [PossibleMatch<Listing>] {
        [match(other, MatchAnswers(own: .yes, other: .yes)), match(listing, MatchAnswers())]
    }

    var tracks: [TrackSummary] {
        [
            TrackSummary(
                number: 1,
                kind: .collar,
                name: hostile,
                device: hostile,
                visibility: .owner,
                isOpen: true,
                pointCount: 3,
                lastPointAt: time
            ),
            TrackSummary(
                number: 2,
                kind: .searchParty,
                name: nil,
                device: nil,
                visibility: .everyone,
                isOpen: false,
                pointCount: 3,
                lastPointAt: nil
            ),
        ]
    }

    var help: [HelpContact] {
        var vet = PointOfInterest(category: .veterinary, coordinate: point)
        vet.name = hostile
        vet.phone = "+39 089 4; 5"
        let shelter = PointOfInterest(category: .animalShelter, coordinate: point)
        let opening = OpeningHours(country: nil).state(of: "24/7", at: point, in: nil, zone: .gmt, time)
        return [
            HelpContact(poi: vet, country: "IT", distance: 1_234, opening: opening),
            HelpContact(poi: shelter, country: nil),
        ]
    }

    var area: SearchArea? {
        let lost = SearchArea.Observation(point, at: time, isCell: true)
        let seen = SearchArea.Observation(point, at: time.adding(days: 1), isCell: false)
        return SearchArea(of: MissingAnimal(species: .dog), lost: lost, sightings: [seen], now: time.adding(days: 2))
    }

    private var importPlan: ImportPlan {
        var plan = ImportPlan()
        plan.dates = .unclear
        return plan
    }

    func listingImport(_ state: ListingImport.State, isDryRun: Bool) -> ListingImport {
        var counts = ListingImport.Counts()
        counts.created = 1_000
        counts.rejected = 3
        return ListingImport(
            key: 1,
            id: Self.id(30),
            owner: 1,
            order: .init(
                source: isDryRun ? hostile : "default", fileName: hostile, isDryRun: isDryRun, plan: importPlan),
            state: state,
            problem: state == .failed ? .empty : nil,
            unknownColumns: [hostile],
            total: 1_003,
            position: 1_003,
            counts: counts,
            createdAt: time,
            startedAt: time,
            endedAt: time
        )
    }

    var feeds: [ImportFeed] {
        let order = ImportFeed.Order(
            url: "https://example.org/\(hostile)",
            interval: 24,
            listings: .init(source: hostile)
        )
        return [true, false].map { isDone in
            ImportFeed(
                key: 1,
                id: Self.id(31),
                owner: 1,
                order: order,
                createdAt: time,
                nextAt: time,
                lastAt: isDone ? time : nil,
                lastOutcome: isDone ? .imported : nil,
                lastImport: isDone ? Self.id(30) : nil,
                validators: .init(entityTag: nil, lastModified: nil)
            )
        }
    }

    /// - Parameter isDraft: whether the file can still be changed.
    func importReport(isDraft: Bool) -> ImportReport {
        let mistakes = [
            ImportMistake(field: "name", column: hostile, value: hostile, message: hostile, count: 1, first: 1),
            ImportMistake(field: "place", column: nil, value: hostile, message: "x", count: 38, first: 2),
            ImportMistake(field: "place", column: nil, value: "x", message: "x", count: 3, first: 2),
            ImportMistake(field: "status", column: "Stato", value: nil, message: "x", count: 2, first: 3),
            ImportMistake(field: nil, column: nil, value: nil, message: hostile, count: 1, first: 9),
        ]
        let suggestions = [[], [hostile], [hostile, "x"], [], []]
        let columns = [("Nome", "name"), (hostile, nil), ("Prov", "province"), ("Telefono", "contact_phone")]
        let draft = ImportReport.Draft(
            columns: columns.map { .init(title: $0, fieldName: $1, values: $1 == nil ? [] : [hostile, "y"]) },
            values: [
                .init(field: .status, text: hostile, meaning: "found"), .init(field: .sex, text: "x", meaning: nil),
            ]
        )
        return ImportReport(
            organisation,
            mistakes: zip(mistakes, suggestions).map { ImportReport.Mistake($0, suggestions: $1) },
            room: isDraft ? 1_234 : nil,
            draft: isDraft ? draft : nil
        )
    }

    var searchAlert: Alert {
        Alert(
            key: 1,
            id: Self.id(32),
            name: hostile,
            subject: .search(["status": "lost,found", "place": hostile, "radius": "10000", "q": hostile]),
            isPaused: true,
            version: 1,
            createdAt: time,
            updatedAt: time
        )
    }

    var matchAlert: Alert {
        Alert(
            key: 1,
            id: Self.id(33),
            name: nil,
            subject: .matches(listing: listing.id, minProbability: 0.1),
            isPaused: false,
            version: 1,
            createdAt: time,
            updatedAt: time
        )
    }

    var sessions: [Session] {
        (1...2).map { number in
            Session(
                id: Self.id(33 + number),
                tokenHash: Data([UInt8(number)]),
                client: number == 1 ? hostile : nil,
                createdAt: time,
                lastUsedAt: time,
                expiresAt: time
            )
        }
    }

    var keys: [APIKey] {
        [
            APIKey(
                id: Self.id(36),
                name: hostile,
                scopes: [.listingsRead, .importsWrite],
                createdAt: time,
                expiresAt: time,
                lastUsedAt: nil
            )
        ]
    }

    var figures: StatisticsFigures {
        let month = PeriodFigures(
            start: 20_600,
            end: 20_631,
            posted: [.lost: 20],
            reunited: nil,
            byMatch: nil,
            otherwise: nil,
            days: nil,
            metres: nil
        )
        let reunions = ReunionFigures(
            byMatch: 5,
            otherwise: nil,
            days: [5, nil, 10, 20, 5, 5, 5, 5],
            metres: [5, nil, 10, 20, 5, 5, 5, 5]
        )
        return ([month], reunions)
    }

    var work: OperatorFigures {
        var work = OperatorFigures()
        work.mails = (1, 2)
        work.pushMessages = (3, 4)
        work.webhooks = (5, 6)
        work.waiting = 7
        (work.medianDelay, work.longDelay) = (1, .infinity)
        work.openReports = 8
        work.imports = [(.done, 9)]
        return work
    }

    func interface(_ page: PageBuilder) -> APIReferenceView {
        let value = page.apiValue(
            name: hostile,
            place: "query",
            type: hostile,
            choices: [hostile],
            isRequired: true,
            description: hostile + " `code`"
        )
        let operation = page.apiOperation(
            id: "one",
            method: "POST",
            path: "/v1/{id}",
            summary: hostile,
            description: hostile,
            access: "signedIn",
            parameters: [value],
            bodyTypes: [hostile],
            fields: [value],
            answers: [page.apiAnswer(status: 200, description: hostile, types: [hostile])],
            errors: [404],
            example: hostile
        )
        let empty = page.apiOperation(
            id: "two",
            method: "GET",
            path: "/v1",
            summary: hostile,
            description: "",
            access: "",
            parameters: [],
            bodyTypes: [],
            fields: [],
            answers: [page.apiAnswer(status: 204, description: "x", types: [])],
            errors: [],
            example: hostile
        )
        return page.apiReference(
            page.apiStart(command: hostile, answer: hostile, token: hostile),
            [400, 404].map {
                page.apiFailure(status: $0, description: hostile + " `code`", isEverywhere: $0 == 400)
            },
            [page.apiGroup("listings", [operation, empty])]
        )
    }

    func reported(_ page: PageBuilder, _ subject: Report.Subject, listing: Listing?, ban: Ban?) -> ReportedView {
        page.reported(
            id: Self.id(40),
            subject,
            Self.id(41),
            isOpen: ban == nil,
            reports: 3,
            reasons: [(.scam, 2), (.appeal, 1)],
            reportedAt: time,
            texts: [(hostile, .scam, time)],
            account: Self.id(42),
            role: .guest,
            ban: ban,
            isThere: subject != .message,
            message: subject == .message ? hostile : nil,
            copies: subject == .message ? (2, 2000) : nil,
            photoCopies: subject == .photo ? [listing].compactMap(\.self) : [],
            photo: subject == .message ? photo : nil,
            listing: listing,
            status: .open,
            sort: "-reports",
            text: hostile
        )
    }
}

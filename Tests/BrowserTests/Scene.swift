import Domain
import Foundation
import ServerSupport
import TestSupport

/// A running service with test data for browser tests.
struct Scene: Sendable {
    let service: RunningService
    /// The tokens of a registered owner and of a guest.
    let anna: String
    let guest: String
    /// The listings of Anna (Argo, and the one marked as reunited) and of the guest (Luna).
    let argo: String
    let luna: String
    let reunited: String
    /// The tokens of an admin and of a banned guest.
    let admin: String
    let banned: String
    /// A listing of the guest that a moderator hid.
    let hidden: String
    /// The conversation about Argo between the guest and Anna.
    let conversation: String
    /// An organisation of Anna with a listing, to which the admin has invited her.
    let organisation: String
    /// The token of Carla, who has a second factor.
    let carla: String

    /// Starts a service without listings.
    static func empty(
        hasModel: Bool = true,
        mapArea: BoundingBox? = nil,
        board: TestDatabase? = nil,
        _ body: (RunningService) async throws -> Void
    ) async throws {
        var site = SiteSettings()
        site.mapArea = mapArea
        site.contact = "dogs@example.org"
        site.imprint = .text("Anna Rossi\nVia Roma 1, Fisciano\n\nanna@example.org")
        site.privacy = .text("Your data stay on this server.")
        try await RunningService.with(
            board: board,
            hasModel: hasModel,
            baseURL: "http://127.0.0.1",
            site: site,
            body
        )
    }

    /// Starts a service with listings of all kinds, with and without photos, and points of interest in and near
    /// Fisciano.
    static func with(_ body: (Scene) async throws -> Void) async throws {
        try await empty { service in
            try await service.putHelp()
            let (anna, guest) = (try await service.register("anna@example.org"), try await service.guest())
            for number in 1...6 { _ = try await service.post("Dog \(number)", number, anna) }
            let luna = try await service.post("Luna", 10, guest, #""status": "found", "sex": "female", "age": "2""#)
            try await service.put(.photo(.red, 900, 1200), 1, of: luna, guest)
            let argo = try await service.post("Argo", 6, anna, Self.details)
            try await service.put(.photo(.blue), 1, of: argo, anna)
            try await service.put(.photo(.green, 500, 700), 2, of: argo, anna)
            let reunited = try await service.post("Fido", 9, anna, #""status": "reunited""#)
            let moderated = try await service.moderate(argo, guest)
            let conversation = try await service.write("I saw him near the station.\\nWww.evil.example", argo, guest)
            try await service.answer("Thank you! Where was it?", conversation, anna)
            _ = try await service.write(
                "Send me the code",
                argo,
                guest,
                #", "mark": "a white paw", "contact_name": "Bruno""#
            )
            let organisation = try await service.makeOrganisation(anna, moderated.admin)
            let carla = try await service.register("carla@example.org")
            _ = try await service.addSecondFactor(carla)
            try await body(
                Scene(
                    service: service,
                    anna: anna,
                    guest: guest,
                    argo: argo,
                    luna: luna,
                    reunited: reunited,
                    admin: moderated.admin,
                    banned: moderated.banned,
                    hidden: moderated.hidden,
                    conversation: conversation,
                    organisation: organisation,
                    carla: carla
                )
            )
        }
    }

    private static let details = """
        "breed": "Pastore tedesco", "sex": "male", "size": "large", "colour": "black and tan", "age": "4 years",
        "marks": "Red collar, white paw", "description": "Shy. Call, do not run after it.\\nLoves cheese.",
        "contact_phone": "+39 089 123456", "contact_phone_public": true, "contact_email": "anna@example.org",
        "contact_email_public": true, "contact_name": "Anna", "contact_name_public": true,
        "microchip": "380260000000001"
        """
}

extension RunningService {
    /// Creates a listing and returns its identifier.
    ///
    /// - Parameters:
    ///   - place: a number that selects a point near Fisciano. Two or three neighbouring points lie in one cell of
    ///     approximate positions; only Luna is alone in its cell.
    ///   - more: further fields as JSON. The default of `status` is `lost`.
    func post(_ name: String, _ place: Int, _ token: String, _ more: String = "") async throws -> String {
        let status = more.contains(#""status""#) ? "" : #", "status": "lost""#
        let lat = 40.77 + Double(place) / 500
        let rest = more.isEmpty ? "" : ", " + more
        return try await post(#"{"name": "\#(name)", "lon": 14.79, "lat": \#(lat)\#(status)\#(rest)}"#, token)
    }

    /// - Parameter more: further fields as JSON.
    /// - Returns: the identifier of the conversation.
    func write(_ text: String, _ listing: String, _ token: String, _ more: String = "") async throws -> String {
        let body = #"{"text": "\#(text)", "contact_phone": "+39 333 7654321"\#(more)}"#
        let answer = try await send("POST", "/v1/listings/\(listing)/messages", body, token: token)
        guard let conversation = answer.text("conversation") else {
            throw TestFailure("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
        return conversation
    }

    func answer(_ text: String, _ conversation: String, _ token: String) async throws {
        let body = #"{"text": "\#(text)"}"#
        _ = try await send("POST", "/v1/me/conversations/\(conversation)/messages", body, token: token)
    }

    func put(_ photo: Data, _ number: Int, of listing: String, _ token: String) async throws {
        let answer = try await send("PUT", "/v1/listings/\(listing)/photos/\(number)", bytes: photo, token)
        guard answer.status < 300 else {
            throw TestFailure("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    /// Creates a verified organisation with a listing, and an invitation of Anna to another one.
    func makeOrganisation(_ anna: String, _ admin: String) async throws -> String {
        let body = #"""
            {"name": "Canile di Fisciano", "about": "Dal 1990.\nVolontari benvenuti!", "website": "https://canile.example.org",
            "phone": "+39 089 987654", "email": "info@canile.example.org", "address": "Via Roma 2", "lon": 14.8, "lat": 40.77}
            """#
        let id = try await send("POST", "/v1/organisations", body, token: anna).created("id")
        try await send("POST", "/v1/admin/organisations/\(id)/verify", "{}", token: admin)
        let other = try await send("POST", "/v1/organisations", #"{"name": "Zampe amiche"}"#, token: admin).created(
            "id"
        )
        let invitation = #"{"email": "anna@example.org"}"#
        try await send("POST", "/v1/organisations/\(other)/invitations", invitation, token: admin)
        _ = try await post("Nerone", 250, anna, #""status": "found", "organisation": "\#(id)""#)
        return id
    }

    /// Creates an admin, a banned guest and a hidden listing, and reports another listing.
    fileprivate func moderate(
        _ listing: String,
        _ guest: String
    ) async throws -> (admin: String, banned: String, hidden: String) {
        let (admin, banned) = (try await admin(), try await self.guest())
        let hidden = try await post("Rex", 12, guest)
        let report = #"{"subject": "listing", "id": "\#(listing)", "reason": "scam", "text": "Asks for money."}"#
        try await send("POST", "/v1/reports", report, token: guest)
        try await send("POST", "/v1/admin/listings/\(hidden)/hide", #"{"reason": "spam"}"#, token: admin)
        let id = try await send("GET", "/v1/me", token: banned).text("id") ?? ""
        try await send("POST", "/v1/admin/accounts/\(id)/ban", #"{"until": "2100-01-01"}"#, token: admin)
        return (admin, banned, hidden)
    }

    func putHelp() async throws {
        let help = [(1, PointOfInterest.Category.veterinary), (2, .petShop), (3, .animalShelter)].compactMap {
            number,
            category -> PointOfInterest? in
            guard let spot = Coordinate(lon: 14.787, lat: 40.776 + Double(number) / 500) else { return nil }
            var poi = PointOfInterest(category: category, coordinate: spot)
            poi.element = .init(type: .node, id: Int64(number))
            poi.name = "Dr. Rossi \(number)"
            poi.phone = "+39 089 654321"
            poi.openingHours = "Mo-Fr 09:00-18:00"
            poi.website = "https://vet.example.org"
            return poi
        }
        _ = try await board.pois.put(help, source: "test")
    }
}

extension Data {
    enum Colour {
        case red, green, blue

        fileprivate var values: [UInt8] {
            switch self {
            case .red: [220, 30, 30]
            case .green: [30, 220, 30]
            case .blue: [30, 30, 220]
            }
        }
    }

    /// A photo whose colour decides its breed for the test model: red gives a beagle, green a labrador, blue a poodle.
    static func photo(_ colour: Colour, _ width: Int = 800, _ height: Int = 600) throws -> Data {
        Data(try plainPNG(width: width, height: height, colour: colour.values))
    }
}

extension TemporaryFolder {
    /// A photo in a file that a form can upload.
    func photo(_ colour: Data.Colour) throws -> URL {
        let file = url.appending(path: "\(colour).png")
        try Data.photo(colour).write(to: file)
        return file
    }
}

extension Browser {
    /// Signs the browser in by setting the cookie of a token.
    func hold(_ token: String, at service: RunningService) async throws {
        // On a busy machine, the cookie was sometimes not there.
        try await until("the cookie") {
            try await open(service.base + "/healthz")
            try await session.post(
                "/cookie",
                ["cookie": ["name": "doggofinder", "value": .string(token), "httpOnly": true, "sameSite": "Lax"]]
            )
            let kept = try await session.get("/cookie")
            return kept.items.contains { $0["name"].text == "doggofinder" && $0["value"].text == token }
        }
    }

    /// Waits until an element contains a text.
    func wait(for text: String, in css: String) async throws {
        try await wait(for: "\(text) in \(css)") { try await self.findAll(css).first?.text().contains(text) == true }
    }

    /// Opens the folded part of the form. A click misses if the page moves meanwhile, for example when the photo has been read.
    func unfold() async throws {
        try await wait(for: "the folded fields") {
            if try await find(".more-fields").property("open") == false { try await click(".more-fields summary") }
            return try await find("[name=name]").isShown()
        }
    }

    func waitUntilGone(_ css: String) async throws {
        try await wait(for: "no \(css)") { try await findAll(css).isEmpty }
    }

    /// Waits until the address of the page contains a text.
    func wait(forAddress part: String) async throws {
        try await wait(for: "an address with \(part)") { try await url().contains(part) }
        try await reloadWhileBusy()
    }

    /// The headlines of the cards.
    func cards() async throws -> [String] {
        try await script("return [...document.querySelectorAll('#cards h2')].map(title => title.textContent)").items
            .compactMap(\.text)
    }

    /// The headlines of the cards that are not hidden.
    func visibleCards() async throws -> [String] {
        let titles =
            "return [...document.querySelectorAll('#cards > li:not([hidden]) h2')].map(title => title.textContent)"
        return try await script(titles).items.compactMap(\.text)
    }

    /// Waits until the board shows exactly these cards in this order.
    func wait(forCards names: [String]) async throws {
        try await wait(for: "cards \(names)") { try await cards() == names }
    }

    /// Waits until the service worker can serve pages offline.
    func waitForServiceWorker() async throws {
        let isReady = """
            return Promise.all([navigator.serviceWorker.ready, caches.open("pages").then(kept => kept.match(base))])
                .then(([worker, page]) => worker.active.state == "activated" && !!page)
            """
        try await wait(for: "the service worker") {
            try await script("const base = document.documentElement.dataset.base + '/post';" + isReady) == true
        }
    }
}

import Basemap
import Credentials
import Domain
import Flyer
import Foundation
import Gazetteer
import MapDatabase
import Photos
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Maps of listings on flyers, pictures and in mails")
struct ListingMapTests {
    private static func location(_ lon: Double, _ lat: Double, isExact: Bool = false) throws -> ListingLocation {
        let point = try #require(Coordinate(lon: lon, lat: lat))
        var location = ListingLocation(coordinate: isExact ? point : point.cellCentre, approximate: !isExact)
        if !isExact { location.exact = point }
        return location
    }

    @Test("The map shows the cell of a private place, the point of an exact one, and nothing where no street is known")
    func panels() async throws {
        try await FiscianoMap.with { service in
            let maps = MapFolder(service.board.folder.url.appending(path: MapFolder.name))
            let panels = MapPanels(tiles: BasemapTiles(Basemap(try Bundled.gazetteer()), maps: maps))
            let first = try Self.location(FiscianoMap.lon, FiscianoMap.lat)
            let other = try Self.location(FiscianoMap.lon + 0.0003, FiscianoMap.lat + 0.0002)
            #expect(first.exact != other.exact && first.coordinate == other.coordinate)
            let panel = try #require(await panels.panel(of: first))
            // A circle through the corners of a cell of 500 m, which has 7.24 m a pixel at zoom 14.
            guard case .area(let radius) = panel.mark else {
                Issue.record("expected an area")
                return
            }
            #expect(abs(radius - 48.9) < 0.1)
            #expect(await panels.panel(of: other) == panel)
            let exact = await panels.panel(of: try Self.location(FiscianoMap.lon, FiscianoMap.lat, isExact: true))
            #expect(exact?.mark == .point && exact != panel)
            var town = first
            town.exact = nil
            #expect(await panels.panel(of: town) == nil)
            #expect(await panels.panel(of: try Self.location(12.5, 41.9, isExact: true)) == nil)
        }
    }

    private static func body(_ east: Double, _ precision: LocationPrecision = .approximate) -> String {
        """
        {"status": "lost", "breed": "Beagle", "name": "Argo", "lon": \(FiscianoMap.lon + east), "lat": \(FiscianoMap.lat),
        "location_precision": "\(precision.rawValue)", "last_seen_at": "2026-07-01T10:30:00Z"}
        """
    }

    @Test("The picture to share and the flyer have a map, which tells nothing of the point within its cell")
    func pictures() async throws {
        try await FiscianoMap.with { service in
            let token = try await service.guest()
            let id = try await service.post(Self.body(0), token)
            func files(_ change: String) async throws -> (picture: RunningService.Answer, flyer: Data) {
                #expect(try await service.send("PATCH", "/v1/listings/\(id)", change, token: token).status == 200)
                let flyer = try await service.send("GET", "/listings/\(id)/flyer.pdf").body
                return (try await service.send("GET", "/listings/\(id)/picture.jpg"), flyer)
            }
            let first = try await files(Self.body(0))
            let moved = try await files(Self.body(0.0003))
            #expect(moved.picture.body == first.picture.body && moved.flyer == first.flyer)
            #expect(moved.picture.headers["etag"] == first.picture.headers["etag"])
            let exact = try await files(Self.body(0, .exact))
            #expect(exact.picture.body != first.picture.body && exact.flyer != first.flyer)
            #expect(exact.picture.headers["etag"] != first.picture.headers["etag"])
            // The flyer embeds the map as an image; without a map it has none.
            #expect(first.flyer.contains("/Subtype /Image"))
            let elsewhere = try await files(Self.body(1))
            #expect(!elsewhere.flyer.contains("/Subtype /Image"))
        }
    }

    @Test("A mail of an alert has the map of a listing without a photo")
    func mail() async throws {
        // At noon, because mails wait at night.
        let (box, clock, board) = (Mailbox(), ManualClock(), try await TestDatabase())
        let mailer = { try box.mailer($0, now: clock.reading) }
        try await FiscianoMap.with(board: board, mailer: mailer, now: clock.reading) { service in
            let token = Token()
            let registration = AccountStore.Registration(
                email: "anna@example.org", passwordHash: "$argon2id$test", profile: Profile(), language: .english)
            _ = try await board.accounts.register(registration, upgrading: nil, tokenHash: token.digest, now: clock.now)
            let circle = #""lon": \#(FiscianoMap.lon), "lat": \#(FiscianoMap.lat), "radius": 5000"#
            let alert = #"{"name": "Home", "search": {"status": "lost", \#(circle)}}"#
            #expect(try await service.send("POST", "/v1/me/alerts", alert, token: token.text).status == 201)
            _ = try await service.post(Self.body(0), try await service.guest())
            let mail = try await box.next()
            #expect(mail.html.contains(#"<img src="cid:photo""#))
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "picture.jpg")
            try #require(mail.picture).write(to: file)
            let picture = try await PhotoProcessor.built().process(file).jpegs[0]
            #expect(picture.width == 360 && picture.height == 240)
        }
    }

    @Test(
        "The page and the card of the map tell how far the nearest settlement is, but not for a listing with only a town"
    )
    func settlement() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let italian = ["Accept": "text/html", "Accept-Language": "it"]
            let near = try await service.post(#"{"status": "lost", "lon": 14.7703, "lat": 40.7703}"#, token)
            let edge = try await service.post(#"{"status": "lost", "lon": 14.781, "lat": 40.7481}"#, token)
            let town = try await service.post(#"{"status": "lost", "place": "Fisciano (SA)"}"#, token)
            for path in ["/listings/\(near)", "/listings/\(near)/card"] {
                let html = try await service.send("GET", path, headers: italian).html
                #expect(html.contains(#/a [0-9,]+\u{A0}k?m da [A-Z][a-z]+, /#), "\(path)")
            }
            let html = try await service.send("GET", "/listings/\(edge)", headers: italian).html
            #expect(html.contains(#/a [0-9,]+\u{A0}k?m dal centro, /#))
            for path in ["/listings/\(town)", "/listings/\(town)/card"] {
                let html = try await service.send("GET", path, headers: italian).html
                #expect(!html.contains(#/a [0-9,]+\u{A0}k?m da /#), "\(path)")
            }
        }
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}

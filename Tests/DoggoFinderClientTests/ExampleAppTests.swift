import DoggoFinderClient
import Foundation
import ServerSupport
import TestSupport
import Testing

@Suite("Example of an app")
struct ExampleAppTests {
    @Test("The page has the code of the example")
    func page() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let catalogue = folder.appending(path: "../../Sources/doggofinder/Documentation.docc")
        let page = try String(contentsOf: catalogue.appending(path: "BuildAnApp.md"), encoding: .utf8)
        let example = try String(contentsOf: folder.appending(path: "ExampleApp.swift"), encoding: .utf8)
        #expect(page.contains("```swift\n\(example)```"))
    }

    @Test("The screens' calls work with the service")
    func screens() async throws {
        try await RunningService.with { service in
            let board = await Board(DoggoFinder(at: try #require(URL(string: service.base))))
            let screen = Task { await board.follow() }
            defer { screen.cancel() }
            let photo = Data(try plainPNG(width: 60, height: 40, colour: [255, 0, 0]))
            #expect(await board.breed(in: photo) == "Beagle")
            let point = Coordinate(lon: 14.79, lat: 40.77)
            let posted = await board.post(ListingFields(.lost, at: point), photo: photo)
            #expect(posted?.photos.count == 1)
            #expect(await board.account?.role == .guest)
            try await until("the listing on the board") { await board.listings.map(\.id) == [posted?.id] }
            await board.findHelp(around: point)
            #expect(await board.problem == nil)
            #expect(await board.help.isEmpty)
            await board.signIn(email: "anna@example.org", password: "wrong horse")
            #expect(await board.problem != nil)
        }
    }
}

import ServerSupport
import Testing

@Suite("Tiles of the map over HTTP")
struct BasemapRoutesTests {
    @Test("A tile is a PNG that clients may keep, in the style and resolution that they ask for")
    func tile() async throws {
        try await RunningService.with(hasModel: false) { service in
            let path = "/basemap/4/8/5.png"
            let plain = try await service.send("GET", path)
            #expect(plain.status == 200 && plain.headers["content-type"] == "image/png")
            #expect(plain.headers["cache-control"]?.contains("max-age=604800") == true)
            #expect(plain.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            #expect(try await service.send("GET", path + "?design=1").body == plain.body)
            #expect(try await service.send("GET", path + "?style=dark").body != plain.body)
            let double = try await service.send("GET", "/basemap/4/8/5@2x.png")
            #expect(double.status == 200 && double.body.count > plain.body.count)
            let tag = try #require(plain.headers["etag"])
            #expect(try await service.send("GET", path, headers: ["If-None-Match": tag]).status == 304)
        }
    }

    @Test(
        "Tiles that do not exist get an error that names the parameter",
        arguments: [
            ("20/0/0", "z"), ("x/0/0", "z"), ("4/16/0", "x"), ("4/0/16", "y"), ("4/0/-1", "y"), ("4/0/1@3x", "y"),
            ("4/0/1@2x@2x", "y"), ("4/0/1.png?style=grey", "style"),
        ]
    )
    func errors(path: String, field: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.send("GET", "/basemap/\(path)\(path.contains(".png") ? "" : ".png")")
            #expect(answer.status == 400 && answer.text("field") == field, "\(answer.text("detail") ?? "")")
        }
    }

    @Test("Twenty tiles for each of eight clients at once are drawn, also the same ones")
    func many() async throws {
        try await RunningService.with(hasModel: false) { service in
            let bodies = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
                for request in 0..<160 {
                    group.addTask {
                        let tile = request % 20
                        let answer = try await service.send(
                            "GET", "/basemap/9/\(270 + tile % 10)/\(185 + tile / 10).png")
                        #expect(answer.status == 200)
                        return (tile, Array(answer.body))
                    }
                }
                return try await group.reduce(into: [Int: Set<[UInt8]>]()) { $0[$1.0, default: []].insert($1.1) }
            }
            #expect(bodies.count == 20 && bodies.values.allSatisfy { $0.count == 1 })
        }
    }
}

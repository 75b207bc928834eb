import Foundation
import OpenStreetMap
import Testing

@Suite("OpenStreetMap file formats")
struct FileTests {
    @Test(
        "The error for a file of another format lists the expected formats",
        arguments: [
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13], Array("hello, dog".utf8), [0],
            Array(repeating: 0xFF, count: 600), Array("[1,2]".utf8), Array("   ".utf8),
        ] as [[UInt8]]
    )
    func foreign(bytes: [UInt8]) throws {
        let reason = try failure(bytes)
        #expect(reason == "expected .osm.pbf, .osm, .osm.gz, Overpass JSON or GeoJSON")
    }

    @Test(
        "JSON of another shape is rejected",
        arguments: [
            "{}", #"{"elements":5}"#, #"{"elements":[1,2,"x"]}"#, #"{"type":"Topology","objects":{}}"#,
            #"{"type":"FeatureCollection"}"#, #"{"type":"FeatureCollection","features":[1]}"#,
            #"{"type":"FeatureCollection","features":{"a":1}}"#, String(repeating: #"{"a":"#, count: 100_000),
        ]
    )
    func otherJSON(text: String) throws {
        #expect(try failure(text) != nil)
    }

    @Test(
        "A file without points of interest gives an empty result",
        arguments: ["<osm/>", #"{"elements":[]}"#, #"{"type":"FeatureCollection","features":[]}"#, "\u{FEFF}<osm/>"]
    )
    func nothing(text: String) throws {
        #expect(try read(text) == Extract())
        #expect(try read(PBFFixture().bytes) == Extract())
    }

    @Test("The error for an empty or missing file or a folder contains its name")
    func absent() throws {
        #expect(try failure([]) == "is empty")
        let absent = URL(filePath: "/nonexistent/italy.osm.pbf")
        #expect(throws: OpenStreetMapFileError(file: absent.path, reason: "no such file")) {
            try PointsOfInterestFile(absent).read()
        }
        #expect(throws: OpenStreetMapFileError.self) {
            try PointsOfInterestFile(FileManager.default.temporaryDirectory).read()
        }
    }

    @Test("Reading stops if the progress handler throws")
    func cancel() throws {
        let file = try TemporaryFile(PBFFixture.small().bytes)
        #expect(throws: CancellationError.self) {
            try PointsOfInterestFile(file.url).read { _ in throw CancellationError() }
        }
    }
}

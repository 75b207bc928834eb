import Domain
import Foundation
import GPX
import Testing

@Suite("GPX files")
struct GPXFileTests {
    private static func read(_ text: String) throws -> GPXFile { try GPXFile(Array(text.utf8)) }

    private static func milliseconds(_ text: String) throws -> Int64 {
        try #require(Timestamp(parsing: text)).milliseconds
    }

    @Test("Segments of tracks with times, names and extensions", arguments: ["1/0", "1/1"])
    func tracks(version: String) throws {
        let file = try Self.read(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" xmlns="http://www.topografix.com/GPX/\(version)"><metadata><time>2026-05-01T00:00:00Z</time></metadata>
            <wpt lat="1" lon="2"><name>Car park</name></wpt>
            <trk><name> Squadra &amp; cani </name><trkseg>
            <trkpt lat="40.77" lon="14.79"><ele>12</ele><time>2026-05-01T12:30:00Z</time><extensions><a><time>x</time></a></extensions></trkpt>
            <trkpt lon="14.8" lat="40.78"><time> 2026-05-01T14:30:05.5+02:00
            </time></trkpt></trkseg><trkseg/><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>
            """
        )
        #expect(file.name == "Squadra & cani" && file.segments.map(\.count) == [2, 1])
        let expected = try ["2026-05-01T12:30:00Z", "2026-05-01T12:30:05.500Z"].map(Self.milliseconds)
        #expect(file.segments[0].map(\.time) == expected && file.segments[1][0].time == nil)
        #expect(file.segments[0][0].coordinate == Coordinate(lon: 14.79, lat: 40.77))
    }

    @Test("Routes, prefixes of namespaces, times without a zone and a byte order mark")
    func variants() throws {
        let route = try Self.read(
            "\u{FEFF}<g:gpx xmlns:g='x'><g:rte><g:name>A</g:name><g:rtept lat='1' lon='2'/></g:rte></g:gpx>"
        )
        #expect(route.name == "A" && route.segments.map(\.count) == [1])
        let zoneless = try Self.read(
            "<gpx><trk><trkseg><trkpt lat='1' lon='2'><time>2026-05-01T12:30:00</time></trkpt></trkseg></trk></gpx>"
        )
        #expect(try zoneless.segments[0][0].time == Self.milliseconds("2026-05-01T12:30:00Z"))
    }

    private static func track(_ points: String, head: String = "") -> String {
        "\(head)<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>"
    }

    private static let point = "<trkpt lat='1' lon='2'/>"

    @Test(
        "Other files are refused, and the error says why",
        arguments: [
            ("", "no element"), ("x", "syntax error"), ("<gpx>", "no element found"),
            ("<gpx/>", "a track or a route"),
            ("<kml/>", "root element gpx"), ("{\"type\": \"Feature\"}", "not well-formed"),
            (track(point, head: "<!DOCTYPE gpx [<!ENTITY a \"b\">]>"), "document type"),
            (track(point, head: "<!DOCTYPE gpx SYSTEM \"file:///etc/passwd\">"), "document type"),
            (track("&a;"), "undefined entity"),
            (track(point, head: "<?xml version='1.0' encoding='windows-1252'?>"), "expected UTF-8"),
            (track(point, head: "<?xml version='1.0' encoding='UTF-16'?>"), "expected UTF-8"),
            (track(String(repeating: "<a>", count: 40)), "levels"),
            (track(String(repeating: "<a>", count: 100_000)), "levels"),
            (track((0..<2000).map { "<a\($0)/>" }.joined()), "different names"),
            (track("<trkpt lat='1' lon='2' x='\(String(repeating: "a", count: 1_000_000))'/>"), "tags of at most"),
            (track("<trkpt lat='91' lon='2'/>"), "with points"), (track("<trkpt lat='1'/>"), "with points"),
            (track("<trkpt lat='nan' lon='2'/>"), "with points"), (track("<trkpt lat='inf' lon='2'/>"), "with points"),
            (track("<trkpt lat='0' lon='0.0'/>"), "with points"),
            (track("<trkpt lat='1' lon='2'><time>\(String(repeating: " ", count: 2000))</time></trkpt>"), "shorter"),
            ("<gpx><trk><name>\(String(repeating: "a", count: 2000))</name></trk></gpx>", "shorter"),
            (track(String(repeating: point, count: GPXFile.maxPoints + 1)), "at most 100000 points"),
        ]
    )
    func refused(text: String, reason: String) throws {
        let error = try #require(throws: ServiceError.self) { try Self.read(text) }
        #expect(error.message.text.contains(reason), "\(error.message)")
        #expect(error.message.text.count < 200)
    }

    @Test("Points that cannot be are left out and counted, and a time that cannot be read is not known")
    func impossiblePoints() throws {
        let file = try Self.read(
            Self.track(
                """
                <trkpt lat='0' lon='0'><time>2026-05-01T12:29:00Z</time></trkpt>
                <trkpt lat='40.77' lon='14.79'><time>null</time></trkpt>
                <trkpt lat='100' lon='180'><time>2026-05-01T12:31:00Z</time></trkpt>
                <trkpt lat='40.78' lon='14.80'><time>2026-05-01T12:32:00Z</time></trkpt>
                <trkpt lat='x' lon=''/><trkpt/>
                """
            )
        )
        #expect(file.leftOut == 4)
        #expect(
            try file.segments == [
                [
                    TrackPoint(#require(Coordinate(lon: 14.79, lat: 40.77)), at: nil),
                    TrackPoint(
                        #require(Coordinate(lon: 14.80, lat: 40.78)), at: Self.milliseconds("2026-05-01T12:32:00Z")),
                ]
            ])
    }

    @Test("Latin-1 is read if the file declares it", arguments: ["ISO-8859-1", "iso-8859-1"])
    func latin(name: String) throws {
        let head = "<?xml version=\"1.0\" encoding=\"\(name)\" standalone=\"no\"?><gpx><trk><name>Citt"
        let bytes = Array(head.utf8) + [0xE0] + Array("</name><trkseg>\(Self.point)</trkseg></trk></gpx>".utf8)
        #expect(try GPXFile(bytes).name == "Città")
    }

    @Test("UTF-16 and bytes that are no UTF-8 are refused")
    func encodings() throws {
        var wide: [UInt8] = []
        for unit in Self.track(Self.point).utf16 { wide += [UInt8(unit & 255), UInt8(unit >> 8)] }
        let marked: [UInt8] = [0xFF, 0xFE] + wide
        for bytes in [wide, marked] { #expect(throws: ServiceError.self) { try GPXFile(bytes) } }
        let latin =
            Array("<gpx><trk><name>".utf8) + [0xE8] + Array("</name><trkseg>\(Self.point)</trkseg></trk></gpx>".utf8)
        #expect(throws: ServiceError.self) { try GPXFile(latin) }
    }
}

import CQL2
import CSV
import Domain
import Forms
import Foundation
import GPX
import Gazetteer
import Geodata
import ImageClassifier
import NIOCore
import OpenStreetMap
import PlaceFiles
import SQL

/// A function that parses untrusted input.
struct Parser: Sendable {
    let name: String
    let seeds: [[UInt8]]
    var words: [String] = []
    /// Parses an input and throws if it is invalid. A violated precondition ends the process.
    let read: @Sendable ([UInt8]) async throws -> Void
}

/// Reads a real file, by its path from the repository root or from `../shared`; returns an empty array if it does not
/// exist.
func file(_ path: String, atMost size: Int = 200_000) -> [[UInt8]] {
    guard let data = try? Data(contentsOf: URL(filePath: path)) else { return [] }
    return [Array(data.prefix(size))]
}

func texts(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

/// Passes the input as a file with this name.
private func onDisk(
    _ name: String,
    _ read: @Sendable @escaping (URL) throws -> Void
) -> @Sendable ([UInt8]) throws -> Void {
    let url = scratch.appending(path: name)
    return { bytes in
        try Data(bytes).write(to: url)
        try read(url)
    }
}

private func readAreas(_ url: URL) throws {
    guard case .boundaries(let format) = try PlaceFile(url) else { return }
    var file = try BoundaryFile(url, format, FieldMapping(["comune=name"]))
    while try !file.next().isEmpty {}
}

/// Returns the contents of a form's parts, or nil if the form is invalid.
private func parts(of bytes: [UInt8], inPiecesOf size: Int) async -> [[UInt8]]? {
    let pieces = stride(from: 0, to: bytes.count, by: size).map {
        ByteBuffer(bytes: bytes[$0..<min($0 + size, bytes.count)])
    }
    let body = AsyncStream { stream in
        for piece in pieces { stream.yield(piece) }
        stream.finish()
    }
    do {
        let reader = try MultipartReader(body, contentType: "multipart/form-data; boundary=X")
        var parts: [[UInt8]] = []
        while let part = try await reader.next() {
            switch part {
            case .field(_, let value): parts.append(Array(value.utf8))
            case .file(let file): parts.append(try await file.reduce(into: []) { $0 += $1.readableBytesView })
            }
        }
        return parts
    } catch {
        return nil
    }
}

/// Fuzzes one file of a shapefile and leaves the other files unchanged.
private func shapefile(_ part: String) -> Parser {
    let known = ["shp", "shx", "dbf", "prj", "cpg"].map { ($0, file("Tests/Fuzzing/Seeds/squares.\($0)")) }
    return Parser(
        name: "shapefile .\(part)",
        seeds: known.first { $0.0 == part }?.1 ?? [],
        read: { bytes in
            for (name, seeds) in known {
                try Data(name == part ? bytes : seeds.first ?? [])
                    .write(to: scratch.appending(path: "\(part).\(name)"))
            }
            try readAreas(scratch.appending(path: "\(part).shp"))
        }
    )
}

/// Changes one file of the bundled gazetteer and leaves the other one as it is.
private func gazetteer(_ name: String) -> Parser {
    let folder = scratch.appending(path: "gazetteer-\(name)")
    return Parser(
        name: name,
        seeds: file(Geodata.directory.appending(path: name).path, atMost: .max),
        read: { bytes in
            if !FileManager.default.fileExists(atPath: folder.path) {
                try FileManager.default.copyItem(at: Geodata.directory, to: folder)
            }
            try Data(bytes).write(to: folder.appending(path: name))
            let gazetteer = try Gazetteer(directory: folder)
            for (lon, lat) in [(12.5, 41.9), (14.79, 40.77), (0, 0), (-179.9, 89)] {
                guard let point = Coordinate(lon: lon, lat: lat) else { continue }
                _ = try gazetteer.place(at: point, language: .italian)
                _ = try gazetteer.isOpenSea(at: point)
            }
            for name in ["Roma", "San Giovanni", "x"] { _ = try gazetteer.place(named: name, language: .english) }
        }
    )
}

/// A folder in memory, so that files do not wait for a disk.
private let memory: URL = {
    let url = URL(filePath: "/dev/shm")
    return FileManager.default.isWritableFile(atPath: url.path) ? url : FileManager.default.temporaryDirectory
}()

let scratch: URL = {
    let url = memory.appending(path: "fuzz-\(getpid())")
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
}()

/// The properties of listings that `ListingCollection` declares for filters.
private let queryables = [
    Queryable(name: "name", type: .text, sql: "name"), Queryable(name: "age", type: .number, sql: "age"),
    Queryable(name: "seen", type: .timestamp, sql: "seen"), Queryable(name: "geom", type: .geometry, sql: "geom"),
    Queryable(name: "chipped", type: .boolean, sql: "chipped"),
]

private let filterSeeds: [[UInt8]] =
    (file("Tests/Clients/filters.txt").first.map { $0.split(separator: 10).map(Array.init) } ?? [])
    + texts(
        "name = 'x' AND age > 3 OR NOT chipped",
        "S_INTERSECTS(geom, POLYGON((0 0,1 0,1 1,0 0)))",
        "S_TOUCHES(geom, GEOMETRYCOLLECTION(POINT(1 2),\n\tLINESTRING(1 2,3 4)))",
        "-age < -(1 + age)"
    )

let mainParsers: [Parser] = [
    Parser(
        name: "cql2-text",
        seeds: filterSeeds,
        words: [
            "AND", "OR", "NOT", "LIKE", "BETWEEN", "IN", "IS NULL", "CASEI(", "DATE('", "INTERVAL('", "BBOX(",
            "MULTIPOLYGON(",
        ],
        read: { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            _ = try CQL2Filter(text: text).condition(over: queryables, on: .postGIS)
        }
    ),
    Parser(
        name: "cql2-json",
        seeds: texts(
            #"{"op":"and","args":[{"op":"=","args":[{"property":"name"},"x"]},{"op":"<","args":[{"property":"age"},3]}]}"#,
            #"{"op":"s_intersects","args":[{"property":"geom"},{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}]}"#,
            #"{"op":"t_during","args":[{"property":"seen"},{"interval":["2026-01-01T00:00:00Z",".."]}]}"#,
            #"{"op":"in","args":[{"property":"age"},[1,2,3]]}"#
        ),
        words: [
            "\"op\":", "\"args\":[", "\"property\":", "\"bbox\":[", "\"date\":\"", "\"timestamp\":\"", "casei", "not",
        ],
        read: { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            _ = try CQL2Filter(json: text).condition(over: queryables, on: .spatiaLite)
        }
    ),
    Parser(
        name: "urlencoded",
        seeds: texts("status=lost&name=Argo+il+cane&place=Forl%C3%AC&photos=", "a=%41&a=%42&&=&=x"),
        read: { _ = try FormFields(urlEncoded: $0) }
    ),
    Parser(
        name: "multipart",
        seeds: texts(
            "--X\r\nContent-Disposition: form-data; name=status\r\n\r\nlost\r\n--X\r\nContent-Disposition: form-data; "
                + "name=\"photos\"; filename=\"a.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n\u{1}\u{2}\r\n--X--\r\n"
        ),
        words: ["--X", "--X--", "Content-Disposition: form-data;", "filename*=UTF-8''", "name=", "\r\n\r\n"],
        read: { bytes in
            // The second time, the body arrives in small pieces, as from the network.
            let whole = await parts(of: bytes, inPiecesOf: bytes.count + 1)
            let divided = await parts(of: bytes, inPiecesOf: 7)
            precondition(whole == divided, "read as something else in pieces")
            guard let whole else { throw ServiceError(.invalid, "not a form") }
            // The output cannot be larger than the input, except that an invalid byte becomes three bytes in UTF-8.
            precondition(whole.reduce(0) { $0 + $1.count } <= 3 * bytes.count, "more came out than went in")
        }
    ),
    Parser(
        name: "csv",
        seeds: texts(
            "id,status,name,lon,lat\r\n1,lost,\"Argo, il\nbello\",14.7,40.7\r\n2,found,\"a \"\"b\"\"\",,\r\n",
            "id;status\n1;lost\n",
            "\u{FEFF}a\tb\n'=1\t2\n"
        ),
        read: { bytes in
            var whole = try CSVReader(Data(bytes))
            var rest = Data(bytes)
            var divided = try CSVReader { _ in
                defer { rest = rest.dropFirst(3) }
                return rest.prefix(3)
            }
            while let row = try whole.next() {
                precondition((try? divided.next()?.fields) == row.fields, "read as something else in pieces")
            }
        }
    ),
    Parser(
        name: "json",
        seeds: texts(#"{"status":"lost","lon":14.79,"lat":40.77,"name":"Argo","tags":[1,2.5e3,null,true,"\u00e8\n"]}"#),
        read: { bytes in
            let value = try JSONDecoder().decode([String: JSONValue].self, from: Data(bytes))
            // Encoding and decoding must give the same value.
            let again = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(value))
            precondition(value == again, "read as something else")
        }
    ),
    Parser(
        name: "times and boxes",
        seeds: texts(
            "2026-11-21T22:35:13.123Z",
            "2026-02-29",
            "2026-01-01T24:00:00+14:00",
            "14.5,40.6,15.0,41.0",
            "380260000000001"
        ),
        read: { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            if let time = Timestamp(parsing: text) {
                precondition(Timestamp(parsing: time.text) == time, "\(time.text) is read as something else")
            }
            _ = try? BoundingBox(parsing: text)
            _ = try? Microchip(parsing: text)
            _ = text.folded
        }
    ),
    Parser(
        name: "breeds.tsv",
        seeds: file(Geodata.directory.appending(path: "breeds.tsv").path),
        read: { _ = try Breeds(tsv: Data($0)) }
    ),
    Parser(
        name: "osm-xml",
        seeds: texts(
            """
            <?xml version="1.0"?><osm version="0.6"><node id="1" lat="45.1" lon="7.1"><tag k="amenity" v="veterinary"/></node>
            <node id="2" lat="45" lon="7"/><node id="3" lat="45" lon="7.1"/><way id="9"><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="1"/>
            <tag k="shop" v="pet"/></way><relation id="5"><member type="way" ref="9" role="outer"/><tag k="type" v="multipolygon"/>
            <tag k="amenity" v="animal_shelter"/></relation></osm>
            """
        ),
        words: [
            "<node ", "<way>", "<relation>", "id=\"", "<tag k=\"shop\" v=\"pet\"/>", "<!DOCTYPE a [<!ENTITY b \"c\">]>",
            "&b;", "</osm>",
        ],
        read: onDisk("a.osm") { _ = try PointsOfInterestFile($0).read() }
    ),
    Parser(
        name: "gpx",
        seeds: texts(
            """
            <?xml version="1.0" encoding="UTF-8"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>A &amp; B</name>
            <trkseg><trkpt lat="40.77" lon="14.79"><ele>1</ele><time>2026-05-01T12:30:00Z</time></trkpt><trkpt lat="40.78" lon="14.8"/>
            </trkseg></trk><rte><rtept lat="1" lon="2"/></rte></gpx>
            """
        ),
        words: [
            "<trkpt lat=\"1\" lon=\"2\">", "<trkseg>", "</trkseg>", "<time>", "<name>",
            "<!DOCTYPE a [<!ENTITY b \"c\">]>", "&b;",
            "encoding=\"UTF-16\"", "</gpx>",
        ],
        read: { bytes in
            let file = try GPXFile(bytes)
            precondition(file.segments.allSatisfy { !$0.isEmpty }, "an empty segment")
            precondition(file.segments.joined().count * 10 <= bytes.count, "more points than the bytes can say")
            _ = try TrackFile(file.segments)
        }
    ),
    Parser(
        name: "osm-pbf",
        seeds: file("Tests/Fuzzing/Seeds/small.osm.pbf"),
        read: onDisk("a.osm.pbf") { _ = try PointsOfInterestFile($0).read() }
    ),
    Parser(
        name: "telephone",
        seeds: texts("+39 089 123456", "Tel. 089/123456 int. 5", "0041 78 123 45 67", "(201) 555-0123x7", "1515"),
        words: ["+", "00", ";ext=", "tel.", "\u{FF13}", "(", "/", " - "],
        read: { bytes in
            let number = try TelephoneNumber(parsing: String(String(decoding: bytes, as: UTF8.self).prefix(40)))
            for country in ["IT", "US", nil] {
                let e164 = number.e164(in: country)
                precondition(e164?.wholeMatch(of: /\+[1-9][0-9]{3,16}/) != nil || e164 == nil, "no country code")
                precondition(number.link(in: country).hasPrefix("tel:") && !number.formatted(in: country).isEmpty)
                try number.expectPossible(in: country)
            }
        }
    ),
    Parser(
        name: "overpass",
        seeds: texts(
            #"{"version":0.6,"elements":[{"type":"node","id":1,"lat":45.1,"lon":7.1,"tags":{"amenity":"veterinary","name":"A"}},"#
                + #"{"type":"way","id":2,"center":{"lat":1,"lon":2},"tags":{"shop":"pet"}},"#
                + #"{"type":"relation","id":3,"members":[{"type":"way","ref":2,"role":"outer","geometry":[{"lat":1,"lon":2}]}],"tags":{}}]}"#
        ),
        read: onDisk("a.json") { _ = try PointsOfInterestFile($0).read() }
    ),
    Parser(
        name: "osm-geojson",
        seeds: texts(
            #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"node/1","geometry":{"type":"Point","coordinates":[7,45]},"#
                + #""properties":{"amenity":"veterinary"}},{"type":"Feature","id":"way/2","geometry":{"type":"MultiPolygon","#
                + #""coordinates":[[[[0,0],[1,0],[1,1],[0,0]]]]},"properties":{"shop":"pet"}}]}"#
        ),
        read: onDisk("a.geojson") { _ = try PointsOfInterestFile($0).read() }
    ),
    Parser(
        name: "boundaries",
        seeds: texts(
            #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"A","id":1},"geometry":{"type":"Polygon","#
                + #""coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]],[[0.2,0.2],[0.4,0.2],[0.4,0.4],[0.2,0.2]]]}}]}"#
        ),
        words: ["MultiPolygon", "GeometryCollection", "\"coordinates\":", "\"crs\":", "[[[", "]]]"],
        read: onDisk("b.geojson", readAreas)
    ),
    Parser(
        name: "geopackage",
        seeds: file("Tests/Fuzzing/Seeds/squares.gpkg"),
        read: onDisk("b.gpkg", readAreas)
    ),
    shapefile("shp"), shapefile("shx"), shapefile("dbf"),
    Parser(
        name: "geonames",
        seeds: texts(
            "3169070\tRome\tRome\tRoma,Rom\t41.89193\t12.51133\tP\tPPLC\tIT\t\t07\tRM\t058091\t\t2318895\t20\t52\tEurope/Rome\t2023-01-01\n",
            "IT\t00118\tRoma\tLazio\t07\tRoma\tRM\tRoma\t058091\t41.9\t12.5\t4\n"
        ),
        read: onDisk("IT.txt") { url in
            var file = try GeoNamesFile(url, PlaceFile(url))
            while try !file.next().isEmpty {}
        }
    ),
    gazetteer("gazetteer.bin"), gazetteer("points.bin"), gazetteer("sea.bin"),
    Parser(
        name: "manifest",
        seeds: file("Sources/BreedModel/Model/manifest.json", atMost: .max)
            + file("Tests/TestSupport/Models/colours/manifest.json"),
        read: { _ = try ModelManifest(json: Data($0)) }
    ),
]

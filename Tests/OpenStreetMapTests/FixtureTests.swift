import Domain
import Foundation
import OpenStreetMap
import TestSupport
import Testing

@Suite("Files of points of interest")
struct FixtureTests {
    private func read(_ text: String, as name: String) throws -> PointsOfInterestFile.Contents {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: name)
        try Data(text.utf8).write(to: url)
        return try PointsOfInterestFile(url).read()
    }

    private static let xml = """
        <?xml version="1.0"?><osm version="0.6">
        <node id="1" lat="1" lon="2"><tag k="amenity" v="veterinary"/><tag k="name" v=" Dr. Bau "/>
          <tag k="contact:phone" v="+39 1"/><tag k="website" v="bau.example"/><tag k="addr:city" v="Roma"/></node>
        <node id="2" lat="1" lon="3"><tag k="shop" v="pet;garden"/></node>
        <node id="3" lat="0" lon="0"/><node id="4" lat="0" lon="3"/><node id="5" lat="3" lon="3"/>
        <node id="6" lat="3" lon="2"/><node id="7" lat="1" lon="2"/><node id="8" lat="1" lon="1"/>
        <node id="9" lat="3" lon="1"/><node id="10" lat="3" lon="0"/>
        <node id="11" lat="0" lon="0"><tag k="disused:amenity" v="veterinary"/></node>
        <way id="20"><nd ref="3"/><nd ref="4"/><nd ref="5"/><nd ref="6"/><nd ref="7"/><nd ref="8"/><nd ref="9"/>
          <nd ref="10"/><nd ref="3"/><tag k="amenity" v="animal_shelter"/></way>
        <way id="21"><nd ref="3"/><nd ref="99"/><tag k="leisure" v="dog_park"/></way>
        </osm>
        """

    @Test("OSM XML gives nodes, and ways as a point inside them, also inside a U")
    func xml() throws {
        let contents = try read(Self.xml, as: "a.osm")
        #expect(contents.pois.map(\.category) == [.veterinary, .petShop, .animalShelter])
        let vet = try #require(contents.pois.first)
        #expect(vet.name == "Dr. Bau")
        #expect(vet.phone == "+39 1")
        #expect(vet.website == "https://bau.example")
        #expect(vet.city == "Roma")
        let point = try #require(contents.pois.last?.coordinate)
        let isInNotch = point.lon > 1 && point.lon < 2 && point.lat > 1
        #expect(!isInNotch && (0...3).contains(point.lon) && (0...3).contains(point.lat))
        #expect(contents.progress.skipped == 1)
    }

    @Test("Overpass JSON gives bodies, centres and geometries")
    func overpass() throws {
        let text = """
            {"elements": [
              {"type": "node", "id": 1, "lat": 1, "lon": 2, "tags": {"amenity": "veterinary"}},
              {"type": "node", "id": 1, "lat": 1, "lon": 2, "tags": {"amenity": "veterinary", "name": "Later"}},
              {"type": "way", "id": 2, "center": {"lat": 3, "lon": 4}, "tags": {"shop": "pet"}},
              {"type": "way", "id": 3, "geometry": [{"lat": 0, "lon": 0}, {"lat": 0, "lon": 2}, {"lat": 2, "lon": 2},
                {"lat": 0, "lon": 0}], "tags": {"shop": "pet_grooming"}},
              {"type": "way", "id": 4, "nodes": [77], "tags": {"shop": "pet"}}]}
            """
        let contents = try read(text, as: "a.json")
        #expect(contents.pois.map(\.category) == [.veterinary, .petShop, .grooming])
        #expect(contents.pois.first?.name == "Later")
        #expect(contents.progress.skipped == 1)
    }

    @Test("GeoJSON without OpenStreetMap's numbers is taken too")
    func geoJSON() throws {
        let text = """
            {"type": "FeatureCollection", "features": [
              {"type": "Feature", "id": "way/7", "geometry": {"type": "Polygon", "coordinates": [[[0,0],[2,0],[2,2],[0,0]]]},
               "properties": {"leisure": "dog_park"}},
              {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2, 3]},
               "properties": {"amenity": "animal_boarding", "phone": 12345}},
              {"type": "Feature", "geometry": null, "properties": {"amenity": "veterinary"}},
              {"type": "Feature", "geometry": {"type": "Point", "coordinates": [999, 2]}, "properties": {"shop": "pet"}}]}
            """
        let contents = try read(text, as: "a.geojson")
        #expect(contents.pois.map(\.element) == [.init(type: .way, id: 7), nil])
        #expect(contents.pois.last?.phone == "12345")
        #expect(contents.progress.skipped == 2)
    }

    @Test(
        "What is none of these files is refused with a word",
        arguments: ["", "GIF89a....", "{\"a\": 1}", "{\"elements\": [", "<html></html>", "<osm><node id=", "[]"]
    )
    func foreign(text: String) throws {
        #expect(throws: ServiceError.self) { try read(text, as: "a.osm") }
        #expect(throws: ServiceError.self) { try read(text, as: "a.osm.pbf") }
    }

    @Test("A file that is not there is refused")
    func missing() {
        #expect(throws: ServiceError.self) { try PointsOfInterestFile(URL(filePath: "/nowhere.osm")).read() }
    }
}

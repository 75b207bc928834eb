import Domain
import Testing

@Suite("Bounding boxes")
struct BoundingBoxTests {
    @Test(
        "The box of a map that was moved across the antimeridian is what the map shows",
        arguments: [
            ("170,-50,190,50", "170.0,-50.0,-170.0,50.0"), ("-190,-50,-170,50", "170.0,-50.0,-170.0,50.0"),
            ("190,0,200,1", "-170.0,0.0,-160.0,1.0"), ("-200,-85,170,85", "-180.0,-85.0,180.0,85.0"),
            ("-180,-90,180,90", "-180.0,-90.0,180.0,90.0"), ("170,-50,-170,50", "170.0,-50.0,-170.0,50.0"),
            ("-540,0,540,1", "-180.0,0.0,180.0,1.0"),
        ]
    )
    func moved(text: String, box: String) throws {
        #expect(try BoundingBox(parsing: text).text == box)
    }

    @Test(
        "Other values are refused", arguments: ["541,0,542,1", "0,-91,1,0", "0,2,1,1", "0,0,1", "a,0,1,1", "nan,0,1,1"])
    func refused(text: String) {
        #expect(throws: ServiceError.invalid("bbox", BoundingBox.expectation)) { try BoundingBox(parsing: text) }
    }
}

import Domain
import ObjectStorage
import TestSupport
import Testing

@Suite("Addresses and keys of buckets")
struct BucketAddressTests {
    @Test(
        "Addresses of buckets and services are accepted",
        arguments: [
            ("s3://photos", nil), ("s3://photos/", nil), ("s3://my.photos-1/dogs/2026_a", nil),
            ("s3://photos", "https://s3.example.org"), ("s3://photos", "https://s3.example.org:9000/storage/v1/"),
            ("s3://photos", "http://127.0.0.1:9000"), ("s3://photos", "http://localhost"),
            ("s3://photos", "http://[::1]:80"),
            ("s3://photos", "http://minio.internal:9000?tls=none"),
        ] as [(String, String?)]
    )
    func accepted(text: String, endpoint: String?) throws {
        #expect("\(try BucketAddress(parsing: text, endpoint: endpoint))" == text)
    }

    @Test(
        "Other addresses are refused with the name of the option",
        arguments: [
            ("s3://", nil, nil, "photos"), ("s3://ab", nil, nil, "photos"), ("s3://Photos", nil, nil, "photos"),
            ("s3://photos/a b", nil, nil, "photos"), ("s3://photos//a", nil, nil, "photos"),
            ("s3://photos/../a", nil, nil, "photos"), ("s3://photos/%2e", nil, nil, "photos"),
            ("s3://photos?x=1", nil, nil, "photos"), ("s3://key:secret@photos", nil, nil, "photos"),
            ("s3://photos/é", nil, nil, "photos"), ("s3://photos\r\nHost: x", nil, nil, "photos"),
            ("https://photos", nil, nil, "photos"),
            ("s3://photos", "http://s3.example.org", nil, "photos-endpoint"),
            ("s3://photos", "http://s3.example.org?tls=required", nil, "photos-endpoint"),
            ("s3://photos", "ftp://s3.example.org", nil, "photos-endpoint"),
            ("s3://photos", "s3.example.org", nil, "photos-endpoint"),
            ("s3://photos", "https://", nil, "photos-endpoint"),
            ("s3://photos", "https://a:b@s3.example.org", nil, "photos-endpoint"),
            ("s3://photos", "https://s3.example.org/a?x=1", nil, "photos-endpoint"),
            ("s3://photos", "https://s3.example.org#a", nil, "photos-endpoint"),
            ("s3://photos", "http://127.0.0.1.example.org", nil, "photos-endpoint"),
            ("s3://photos", nil, "eu south", "photos-region"), ("s3://photos", nil, "", "photos-region"),
            ("s3://photos", nil, "a:b", "photos-region"),
        ] as [(String, String?, String?, String)]
    )
    func refused(text: String, endpoint: String?, region: String?, field: String) {
        let error = #expect(throws: ServiceError.self) {
            try BucketAddress(parsing: text, endpoint: endpoint, region: region)
        }
        #expect(error?.field == field)
    }

    @Test("Keys are read from AWS's format, and other files are refused without their content")
    func keys() throws {
        let good = "# mine\r\n[default]\r\naws_access_key_id=AKIA1\r\naws_secret_access_key = a+b/c=d \r\n\r\n"
        _ = try AccessKeys(parsing: good, field: "f")
        _ = try AccessKeys(parsing: good + "aws_session_token = abc\nregion = eu-south-1\n", field: "f")
        for bad in [
            "", "AKIA1:verysecret", "aws_access_key_id = AKIA1", good + "[other]\n", good + "aws_access_key_id = AKIA2",
            "aws_access_key_id = AKIA1\naws_secret_access_key = very secret",
            "aws_access_key_id=\naws_secret_access_key=x",
            "aws_access_key_id = AKIA1\naws_secret_access_key = verysecreté",
        ] {
            let error = #expect(throws: ServiceError.self) { try AccessKeys(parsing: bad, field: "f") }
            #expect(error?.field == "f")
            #expect(
                error?.message.text.contains("verysecret") == false
                    && error?.message.text.contains("very secret") == false)
        }
        let keys = try AccessKeys(parsing: good, field: "f")
        var dump = ""
        Swift.dump(keys, to: &dump)
        #expect(!"\(keys)".contains("a+b") && !dump.contains("a+b"))
    }
}

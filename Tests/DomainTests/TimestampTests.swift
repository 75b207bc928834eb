import Domain
import Foundation
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "Timestamps are parsed with any offset of RFC 3339",
        arguments: [
            ("2026-05-01", "2026-05-01T00:00:00.000Z"), ("2026-05-01T12:30:00Z", "2026-05-01T12:30:00.000Z"),
            ("2026-05-01T12:30:00.5+02:00", "2026-05-01T10:30:00.500Z"),
            ("2026-05-01T23:30:00-23:59", "2026-05-02T23:29:00.000Z"),
            ("1873-10-31T10:49:02.578495+22:27", "1873-10-30T12:22:02.578Z"),
            ("2024-02-29T23:59:59.9995Z", "2024-03-01T00:00:00.000Z"),
            ("2026-05-01t12:30:00.1234z", "2026-05-01T12:30:00.123Z"),
            ("0000-01-01", "0000-01-01T00:00:00.000Z"), ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ]
    )
    func offsets(input: String, expected: String) {
        #expect(Timestamp(parsing: input)?.text == expected)
    }

    @Test(
        "Malformed timestamps are rejected",
        arguments: [
            "", "soon", "2026-02-30", "2026-02-30T10:00:00+02:00", "2026-05-01T12:30:00+24:00", "2026-05-01T12:30",
            "2026-05-01T12:30:00", "2026-05-01 12:30:00Z", "2026-05-01T12:30:00.Z", "2026-05-01T12:30:00ZZ",
            "2026-05-01T24:00:00Z", "2026-05-01T12:60:00Z", "2026-05-01T12:30:60Z", "1900-02-29", "2026-00-10",
            "2026-13-01",
            "2026-05-00", "+026-05-01", "2026-05-01T12:30:00+2:00", "２026-05-01", "9999-12-31T23:59:59.9995Z",
            "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01",
        ]
    )
    func malformed(input: String) {
        #expect(Timestamp(parsing: input) == nil)
    }

    @Test("Additions do not exceed the last timestamp that sorts as text")
    func addition() throws {
        let day = try #require(Timestamp(parsing: "9999-12-31"))
        #expect(day.adding(seconds: 86_400).text == "9999-12-31T23:59:59.999Z")
        #expect(day.adding(seconds: 60).text == "9999-12-31T00:01:00.000Z")
    }

    @Test("Every millisecond survives formatting and parsing")
    func milliseconds() throws {
        for year in ["0001", "1582", "1969", "1970", "2001", "2026", "2066", "9999"] {
            for number in 0..<1000 {
                let text = "\(year)-11-21T22:35:03.\(String(number + 1000).dropFirst())Z"
                #expect(try #require(Timestamp(parsing: text)).text == text)
            }
        }
    }

    @Test("Times are the same as those of Foundation for each day of four hundred years")
    func foundation() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let day = 86_400.0
        for number in 0..<146_097 {
            let date = Date(timeIntervalSince1970: (Double(number) - 80_000) * day + Double(number % 86_400) + 0.5)
            let time = Timestamp(date)
            #expect(time.text == date.formatted(style))
            #expect(time.milliseconds == Int64(date.timeIntervalSince1970 * 1000))
        }
    }

    @Test("Dates outside of the years 0 to 9999 become the first or last time")
    func outside() {
        #expect(Timestamp(.distantPast.addingTimeInterval(-1e11)).text == "0000-01-01T00:00:00.000Z")
        #expect(Timestamp(Date(timeIntervalSince1970: 1e300)).text == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(Date(timeIntervalSince1970: -1e300)).text == "0000-01-01T00:00:00.000Z")
        #expect(Timestamp(milliseconds: .min).text == "0000-01-01T00:00:00.000Z")
        #expect(Timestamp(milliseconds: .max).text == "9999-12-31T23:59:59.999Z")
    }

    @Test(
        "Dates of HTTP",
        arguments: [
            ("1994-11-06T08:49:37.999Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("1970-01-01T00:00:00.000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
            ("1969-12-31T23:59:59.000Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
            ("2024-02-29T12:00:00.000Z", "Thu, 29 Feb 2024 12:00:00 GMT"),
            ("2026-11-21T17:05:00.500Z", "Sat, 21 Nov 2026 17:05:00 GMT"),
        ]
    )
    func httpDates(text: String, date: String) {
        #expect(Timestamp(stored: text).httpDate == date)
    }
}

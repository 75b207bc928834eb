import Domain
import Foundation

/// One numbered step of the schema.
package struct Migration: Sendable {
    /// Counts from 1 without gaps; the database remembers the last one in `PRAGMA user_version`.
    package let number: Int
    package let name: String
    package let sql: String
    /// How long the step takes for a million listings, for the estimate before an upgrade: measured with 200,000
    /// listings and a release build.
    package let secondsPerMillionListings: Double

    package init(number: Int, name: String, sql: String, secondsPerMillionListings: Double = 0) {
        self.number = number
        self.name = name
        self.sql = sql
        self.secondsPerMillionListings = secondsPerMillionListings
    }

    /// The steps of a database file, in order. A landed one is never edited: the next one mends it.
    package static let all = steps(
        in: "spatialite",
        secondsPerMillionListings: [
            2: 200, 3: 30, 6: 10, 7: 3, 9: 5, 11: 20, 13: 1, 14: 1, 15: 4, 16: 2, 17: 1, 27: 4, 34: 80, 38: 60,
            53: 30,
        ]
    )

    /// The steps of a PostgreSQL database, in order. The first one makes the schema that 27 steps make on SpatiaLite.
    package static let postGIS = steps(in: "postgis")

    /// Reads the files `NUMBER_NAME.sql` of a folder.
    private static func steps(in folder: String, secondsPerMillionListings: [Int: Double] = [:]) -> [Migration] {
        Bundle.module.fileNames(in: folder).map { file in
            let parts = file.dropLast(".sql".count).split(separator: "_", maxSplits: 1)
            guard parts.count == 2, let number = Int(parts[0]) else { preconditionFailure("not a migration: \(file)") }
            return Migration(
                number: number,
                name: String(parts[1]),
                sql: String(decoding: Bundle.module.bytes(of: "\(folder)/\(file)"), as: UTF8.self),
                secondsPerMillionListings: secondsPerMillionListings[number] ?? 0
            )
        }
    }
}

/// One numbered step of the schema, compiled into the program.
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

    /// Every step, in order. A landed one is never edited: the next one mends it.
    package static let all: [Migration] = [
        Migration(number: 1, name: "initial", bytes: PackageResources._001_initial_sql),
        Migration(number: 2, name: "board", bytes: PackageResources._002_board_sql, secondsPerMillionListings: 200),
        Migration(number: 3, name: "photos", bytes: PackageResources._003_photos_sql, secondsPerMillionListings: 30),
        Migration(number: 4, name: "places", bytes: PackageResources._004_places_sql),
        Migration(number: 5, name: "idempotency", bytes: PackageResources._005_idempotency_sql),
        Migration(number: 6, name: "privacy", bytes: PackageResources._006_privacy_sql, secondsPerMillionListings: 10),
        Migration(
            number: 7,
            name: "retention",
            bytes: PackageResources._007_retention_sql,
            secondsPerMillionListings: 3
        ),
        Migration(number: 8, name: "accounts", bytes: PackageResources._008_accounts_sql),
        Migration(number: 9, name: "messages", bytes: PackageResources._009_messages_sql, secondsPerMillionListings: 5),
        Migration(number: 10, name: "moderation", bytes: PackageResources._010_moderation_sql),
        Migration(
            number: 11,
            name: "reward_and_collar",
            bytes: PackageResources._011_reward_and_collar_sql,
            secondsPerMillionListings: 20
        ),
        Migration(number: 12, name: "keys_of_posts", bytes: PackageResources._012_keys_of_posts_sql),
        Migration(
            number: 13,
            name: "archive_by_time",
            bytes: PackageResources._013_archive_by_time_sql,
            secondsPerMillionListings: 1
        ),
        Migration(
            number: 14,
            name: "reunions_by_time",
            bytes: PackageResources._014_reunions_by_time_sql,
            secondsPerMillionListings: 1
        ),
        Migration(number: 15, name: "matches", bytes: PackageResources._015_matches_sql, secondsPerMillionListings: 4),
        Migration(
            number: 16,
            name: "sightings",
            bytes: PackageResources._016_sightings_sql,
            secondsPerMillionListings: 2
        ),
        Migration(
            number: 17,
            name: "microchips",
            bytes: PackageResources._017_microchips_sql,
            secondsPerMillionListings: 1
        ),
        Migration(number: 18, name: "tracks", bytes: PackageResources._018_tracks_sql),
        Migration(number: 19, name: "photos_of_sightings", bytes: PackageResources._019_photos_of_sightings_sql),
        Migration(number: 20, name: "outgoing_mail", bytes: PackageResources._020_outgoing_mail_sql),
        Migration(number: 21, name: "alerts", bytes: PackageResources._021_alerts_sql),
        Migration(number: 22, name: "notifications", bytes: PackageResources._022_notifications_sql),
        Migration(number: 23, name: "channels", bytes: PackageResources._023_channels_sql),
        Migration(number: 24, name: "organisations", bytes: PackageResources._024_organisations_sql),
        Migration(number: 25, name: "imports", bytes: PackageResources._025_imports_sql),
        Migration(number: 26, name: "confirmed_addresses", bytes: PackageResources._026_confirmed_addresses_sql),
        Migration(
            number: 27,
            name: "listings_without_breed",
            bytes: PackageResources._027_listings_without_breed_sql,
            secondsPerMillionListings: 4
        ),
        Migration(number: 28, name: "second_factor", bytes: PackageResources._028_second_factor_sql),
        Migration(
            number: 29,
            name: "whole_answers_and_points",
            bytes: PackageResources._029_whole_answers_and_points_sql
        ),
        Migration(number: 30, name: "audit_end", bytes: PackageResources._030_audit_end_sql),
    ]

    package init(number: Int, name: String, bytes: [UInt8], secondsPerMillionListings: Double = 0) {
        self.init(
            number: number,
            name: name,
            sql: String(decoding: bytes, as: UTF8.self),
            secondsPerMillionListings: secondsPerMillionListings
        )
    }
}

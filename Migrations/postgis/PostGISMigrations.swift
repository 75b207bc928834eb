package import Migrations

extension Migration {
    /// The steps of a PostgreSQL database, in order. The first one makes the schema that 27 steps make on SpatiaLite.
    package static let postGIS: [Migration] = [
        Migration(number: 27, name: "schema", bytes: PackageResources._027_schema_sql),
        Migration(number: 28, name: "second_factor", bytes: PackageResources._028_second_factor_sql),
        Migration(
            number: 29,
            name: "whole_answers_and_points",
            bytes: PackageResources._029_whole_answers_and_points_sql
        ),
        Migration(number: 30, name: "limit_counters", bytes: PackageResources._030_limit_counters_sql),
        Migration(number: 31, name: "nodes", bytes: PackageResources._031_nodes_sql),
        Migration(number: 32, name: "json_valid", bytes: PackageResources._032_json_valid_sql),
        Migration(number: 33, name: "nearest", bytes: PackageResources._033_nearest_sql),
        Migration(number: 34, name: "audit_end", bytes: PackageResources._034_audit_end_sql),
    ]
}

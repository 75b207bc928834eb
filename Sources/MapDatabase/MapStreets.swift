import Domain
import SQL
import SpatiaLite

/// Joins the parts of a street, which are several ways in OpenStreetMap, and gives each house number its street.
struct MapStreets {
    /// How far a house may be from a street of that name in another town, in degrees.
    private static let reach = 0.02

    private let db: SQLConnection

    init(_ db: SQLConnection) { self.db = db }

    func join() throws {
        try db.run(
            script: """
                CREATE INDEX temp.segment_key ON segment(key, osm_key, town);
                CREATE TEMP TABLE part AS
                    SELECT min(id) AS place, key, osm_key, town, sum(lon * length) / sum(length) AS lon,
                        sum(lat * length) / sum(length) AS lat
                    FROM segment GROUP BY key, osm_key, town, CASE WHEN osm_key = 'highway' THEN 0 ELSE id END;
                """
        )
        try writePlaces()
        try assignHouses()
        try writeAddresses()
        try writeWords()
    }

    /// The part of a street that is nearest to the middle of all parts stands for it.
    private func writePlaces() throws {
        try db.run(
            script: """
                INSERT INTO place(id, osm_key, osm_value, name, town, geometry)
                SELECT place, osm_key, osm_value, name, town, MakePoint(lon, lat, 4326) FROM (
                    SELECT part.place, s.*, min((s.lon - part.lon) * (s.lon - part.lon)
                        + (s.lat - part.lat) * (s.lat - part.lat))
                    FROM part JOIN segment s ON s.key = part.key AND s.osm_key = part.osm_key AND s.town IS part.town
                        AND (s.osm_key = 'highway' OR s.id = part.place)
                    GROUP BY part.place
                );
                CREATE INDEX temp.part_key ON part(key, town);
                UPDATE house SET place = (
                    SELECT place FROM part WHERE key = house.key AND town IS house.town
                    ORDER BY osm_key <> 'highway' LIMIT 1
                );
                """
        )
    }

    /// Houses whose town has no street of that name belong to the nearest one of that name, or make a street of their own.
    private func assignHouses() throws {
        let lost = try db.rows("SELECT id, key, lon, lat FROM house WHERE place IS NULL ORDER BY id") { row in
            (id: row.integer(0), key: try row[1] as String, lon: row.real(2), lat: row.real(3))
        }
        for house in lost {
            let near: Int64? = try db.value(
                """
                SELECT place FROM part WHERE key = ?1 AND abs(lon - ?2) < ?4 AND abs(lat - ?3) < ?4
                ORDER BY (lon - ?2) * (lon - ?2) + (lat - ?3) * (lat - ?3) LIMIT 1
                """,
                [house.key, house.lon, house.lat, Self.reach]
            )
            try db.execute(
                "UPDATE house SET place = ? WHERE id = ?", [try near ?? street(ofHouse: house.id), house.id])
        }
    }

    private func street(ofHouse id: Int64) throws -> Int64 {
        let place = try db.insert(
            """
            INSERT INTO place(osm_key, osm_value, name, town, geometry)
            SELECT 'highway', 'road', street, town, MakePoint(lon, lat, 4326) FROM house WHERE id = ? RETURNING id
            """,
            [id]
        )
        try db.execute(
            "INSERT INTO part SELECT ?, key, 'highway', town, lon, lat FROM house WHERE id = ?", [place, id])
        return place
    }

    private func writeAddresses() throws {
        try db.run(
            script: """
                INSERT INTO address(place, number, postal_code, geometry)
                SELECT place, number, postal_code, MakePoint(lon, lat, 4326) FROM house GROUP BY place, number, lon, lat;
                CREATE INDEX address_place ON address(place);
                INSERT INTO address_index SELECT id, ST_X(geometry), ST_X(geometry), ST_Y(geometry), ST_Y(geometry)
                FROM address;
                CREATE INDEX temp.house_place ON house(place);
                UPDATE place SET postal_code = (
                    SELECT postal_code FROM house WHERE house.place = place.id AND postal_code IS NOT NULL
                    GROUP BY postal_code ORDER BY count(*) DESC LIMIT 1
                );
                """
        )
    }

    private func writeWords() throws {
        // `part` has the words of all parts of a street; of a street that only houses name, it has none.
        let words = try PreparedStatement(
            db,
            """
            SELECT place.id, place.name, coalesce(
                    (SELECT group_concat(DISTINCT s.words) FROM segment s
                        WHERE s.key = part.key AND s.osm_key = part.osm_key AND s.town IS part.town), ''),
                coalesce(town.words, ''), coalesce(
                    (SELECT group_concat(DISTINCT coalesce(city, '') || ' ' || coalesce(postal_code, '') || ' '
                        || coalesce(locality, '')) FROM house WHERE house.place = place.id), ''),
                coalesce(
                    (SELECT group_concat(DISTINCT s.locality) FROM segment s
                        WHERE s.key = part.key AND s.osm_key = part.osm_key AND s.town IS part.town), '')
                    -- Houses may have names: "Lia Buildings".
                    || ' ' || coalesce((SELECT group_concat(DISTINCT number)
                        FROM house WHERE house.place = place.id AND number NOT GLOB '[0-9]*'), '')
                    -- Of a street along a boundary, houses are in both towns.
                    || ' ' || coalesce((SELECT group_concat(DISTINCT t.words)
                        FROM house JOIN town t ON t.id = house.town WHERE house.place = place.id), '')
            FROM part JOIN place ON place.id = part.place LEFT JOIN town ON town.id = place.town
            """
        )
        let text = try PreparedStatement(db, "INSERT INTO place_text(rowid, names, areas) VALUES (?, ?, ?)")
        while try words.next() {
            let row = words.row
            let names: String = try row[1] as String + " " + row[2]
            let areas: String = try row[3] as String + " " + row[4] + " " + row[5]
            try text.run([
                row.integer(0), names.addressWords.joined(separator: " "), areas.addressWords.joined(separator: " "),
            ])
        }
        // Each part of the index costs every word of a search as much as the whole one.
        try db.execute("INSERT INTO place_text(place_text) VALUES ('optimize')")
    }
}

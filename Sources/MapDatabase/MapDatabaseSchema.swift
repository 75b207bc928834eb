/// The tables of a map database, which one extract of OpenStreetMap fills.
enum MapDatabaseSchema {
    /// The version of the tables, in `PRAGMA user_version`. A file of another version must be imported again.
    static let version: Int64 = 1

    static let tables = """
        CREATE TABLE extract(
            source TEXT NOT NULL, imported_at TEXT NOT NULL, west REAL, south REAL, east REAL, north REAL
        );
        CREATE TABLE feature(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT);
        SELECT AddGeometryColumn('feature', 'geometry', 4326, 'GEOMETRY', 'XY', 1);
        CREATE TABLE town(id INTEGER PRIMARY KEY, name TEXT NOT NULL, words TEXT NOT NULL);
        CREATE TABLE place(
            id INTEGER PRIMARY KEY, osm_key TEXT NOT NULL, osm_value TEXT NOT NULL, name TEXT NOT NULL,
            town INTEGER REFERENCES town, postal_code TEXT
        );
        SELECT AddGeometryColumn('place', 'geometry', 4326, 'POINT', 'XY', 1);
        CREATE TABLE address(
            id INTEGER PRIMARY KEY, place INTEGER NOT NULL REFERENCES place, number TEXT NOT NULL, postal_code TEXT
        );
        SELECT AddGeometryColumn('address', 'geometry', 4326, 'POINT', 'XY', 1);
        """

    /// The search structures. The third dimension of features are their zoom levels. Coastlines are searched by
    /// themselves, and further around.
    static let indexes = """
        CREATE VIRTUAL TABLE feature_index USING rtree(id, west, east, south, north, min_zoom, max_zoom);
        CREATE VIRTUAL TABLE coast_index USING rtree(id, west, east, south, north, min_zoom, max_zoom);
        CREATE VIRTUAL TABLE address_index USING rtree(id, west, east, south, north);
        CREATE VIRTUAL TABLE place_text USING fts5(names, areas, content = '', tokenize = 'unicode61', detail = column);
        CREATE VIRTUAL TABLE place_word USING fts5vocab(place_text, 'row');
        """

    /// Temporary tables, which hold streets and houses until their towns are known.
    static let work = """
        CREATE TEMP TABLE member(way INTEGER PRIMARY KEY, line BLOB NOT NULL);
        CREATE TEMP TABLE municipality(id INTEGER PRIMARY KEY, name TEXT NOT NULL, rings BLOB NOT NULL);
        CREATE VIRTUAL TABLE temp.municipality_index USING rtree(id, west, east, south, north);
        CREATE TEMP TABLE segment(
            id INTEGER PRIMARY KEY, osm_key TEXT NOT NULL, osm_value TEXT NOT NULL, name TEXT NOT NULL,
            key TEXT NOT NULL, words TEXT NOT NULL, lon REAL NOT NULL, lat REAL NOT NULL, length REAL NOT NULL,
            town INTEGER, locality TEXT
        );
        CREATE TEMP TABLE house(
            id INTEGER PRIMARY KEY, street TEXT NOT NULL, key TEXT NOT NULL, number TEXT NOT NULL,
            city TEXT, postal_code TEXT, lon REAL NOT NULL, lat REAL NOT NULL, town INTEGER, locality TEXT,
            place INTEGER
        );
        """
}

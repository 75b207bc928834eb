-- Searches whose cost does not grow with the number of listings.
--
-- A listing's key is derived from its creation time, so that the order of keys is the order of time: milliseconds since
-- 1970 times 2^15, plus a counter for listings of the same millisecond. The running maximum resolves collisions if
-- there are more listings in a millisecond than the counter can hold.

DROP TRIGGER listing_text_insert;
DROP TRIGGER listing_text_delete;
DROP TRIGGER listing_text_update;
DROP TABLE listing_text;
DROP INDEX listing_created;
DROP INDEX listing_account;
DROP INDEX listing_species;
DROP INDEX listing_breed;
SELECT DisableSpatialIndex('listing', 'geom');
DROP TABLE idx_listing_geom;

-- The folded names of the listing's place, as a JSON array.
ALTER TABLE listing ADD COLUMN place_names TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(place_names));

UPDATE listing
SET place_names = (SELECT json_group_array(name) FROM listing_place WHERE listing_id = listing.id);

DROP TABLE listing_place;

CREATE TABLE listing_key AS
    SELECT id, max(start - number) OVER (ORDER BY number) + number AS key
    FROM (
        SELECT id, row_number() OVER (ORDER BY created_at, id) AS number,
            (CAST(strftime('%s', created_at) AS INTEGER) * 1000 + CAST(substr(created_at, 21, 3) AS INTEGER)) << 15
            AS start
        FROM listing
    );

CREATE UNIQUE INDEX listing_key_id ON listing_key (id);

-- Old and new keys could collide. Negative keys collide with neither.
UPDATE listing SET id = -1 - id;

UPDATE listing SET id = (SELECT key FROM listing_key WHERE listing_key.id = -1 - listing.id);

DROP TABLE listing_key;

CREATE INDEX listing_account ON listing (account_id);

-- The Earth is divided into cells: level n has 2^n columns of longitude and 2^n rows of latitude. The zone of a point
-- is its cell of level 14 with interleaved column and row bits (Morton, 1966), so that a cell of any level is one range
-- of zones.
CREATE TABLE cell_level (
    level INTEGER PRIMARY KEY,
    -- What takes the zone to the cell within its level.
    shift INTEGER NOT NULL
);

INSERT INTO cell_level VALUES (2, 24), (4, 20), (6, 16), (8, 12), (10, 8), (12, 4), (14, 0);

-- A lookup table, because SQLite evaluates a column of a view again at each use, at any depth.
CREATE TABLE cell_bits (
    number INTEGER PRIMARY KEY CHECK (number BETWEEN 0 AND 127),
    -- A zero before each of its bits.
    spread INTEGER NOT NULL
);

WITH RECURSIVE numbers (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < 127)
INSERT INTO cell_bits
SELECT number, (number & 1) | ((number & 2) << 1) | ((number & 4) << 2) | ((number & 8) << 3) | ((number & 16) << 4)
    | ((number & 32) << 5) | ((number & 64) << 6)
FROM numbers;

CREATE VIEW listing_zone AS
    SELECT id, lon, lat,
        ((SELECT spread FROM cell_bits WHERE number = x >> 7) << 14)
        | (SELECT spread FROM cell_bits WHERE number = x & 127)
        | ((SELECT spread FROM cell_bits WHERE number = y >> 7) << 15)
        | ((SELECT spread FROM cell_bits WHERE number = y & 127) << 1) AS zone
    FROM (
        SELECT id, ST_X(geom) AS lon, ST_Y(geom) AS lat,
            min(16383, CAST((ST_X(geom) + 180) / 360 * 16384 AS INTEGER)) AS x,
            min(16383, CAST((ST_Y(geom) + 90) / 180 * 16384 AS INTEGER)) AS y
        FROM listing
    );

-- The public content of a listing, as a GeoJSON Feature (RFC 7946) without its last two braces, so that a distance can
-- be appended. Coordinates have as many digits as necessary.
CREATE VIEW listing_feature AS
    SELECT id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || CASE WHEN CAST(printf('%!.15g', lon) AS REAL) = lon THEN printf('%!.15g', lon) ELSE printf('%!.17g', lon) END
        || ','
        || CASE WHEN CAST(printf('%!.15g', lat) AS REAL) = lat THEN printf('%!.15g', lat) ELSE printf('%!.17g', lat) END
        || ']},"properties":' || substr(properties, 1, length(properties) - 1) AS feature
    FROM (
        SELECT id, uuid, ST_X(geom) AS lon, ST_Y(geom) AS lat, json_object(
            'status', status, 'species', species, 'name', name, 'breed', breed, 'breed_key', breed_key, 'sex', sex,
            'size', size, 'colour', colour, 'age', age, 'marks', marks, 'description', description,
            'last_seen_at', last_seen_at,
            'contact_name', CASE WHEN contact_name_public THEN contact_name END,
            'contact_phone', CASE WHEN contact_phone_public THEN contact_phone END,
            'contact_email', CASE WHEN contact_email_public THEN contact_email END,
            'place', place, 'locality', locality, 'province', province, 'province_code', province_code,
            'region', region, 'country', country, 'country_code', country_code, 'postal_code', postal_code,
            'approximate', json(CASE WHEN approximate THEN 'true' ELSE 'false' END),
            'created_at', created_at, 'updated_at', updated_at) AS properties
        FROM listing
    );

-- The listings on the board, which are open and not hidden. The key is that of the listing times 16, plus a code for
-- status and species, so that the R*Tree contains both.
CREATE VIEW listing_on_board AS
    SELECT listing.id AS listing_id,
        listing.id << 4 | CASE status WHEN 'lost' THEN 0 WHEN 'found' THEN 1 ELSE 2 END
            | CASE species WHEN 'dog' THEN 0 WHEN 'cat' THEN 4 ELSE 8 END AS id,
        geom, lon, lat, zone, status, species, last_seen_at, feature
    FROM listing CROSS JOIN listing_zone ON listing_zone.id = listing.id
        CROSS JOIN listing_feature ON listing_feature.id = listing.id
    WHERE status IN ('lost', 'found', 'sighted') AND NOT hidden;

-- The public listings that searches cover. The R*Tree contains no others.
CREATE TABLE board (
    id INTEGER PRIMARY KEY,
    geom POINT NOT NULL,
    lon REAL NOT NULL,
    lat REAL NOT NULL,
    zone INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('lost', 'found', 'sighted')),
    species TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    feature TEXT NOT NULL
);

SELECT RecoverGeometryColumn('board', 'geom', 4326, 'POINT', 'XY');
SELECT CreateSpatialIndex('board', 'geom');

-- A covering index for searches by time of sighting.
CREATE INDEX board_seen ON board (last_seen_at, status, species, lon, lat);

-- The listings of each cell in order of time. Triggers maintain the table; a foreign key would require an additional
-- index.
CREATE TABLE board_cell (
    cell INTEGER NOT NULL,
    status TEXT NOT NULL,
    id INTEGER NOT NULL,
    species TEXT NOT NULL,
    lon REAL NOT NULL,
    lat REAL NOT NULL,
    PRIMARY KEY (cell, status, id)
) WITHOUT ROWID;

-- The number of listings in each cell, and the sums of their coordinates in units of 1e-7 degrees; integer sums do not
-- drift.
CREATE TABLE board_count (
    cell INTEGER NOT NULL,
    status TEXT NOT NULL,
    species TEXT NOT NULL,
    listings INTEGER NOT NULL CHECK (listings >= 0),
    lon_sum INTEGER NOT NULL,
    lat_sum INTEGER NOT NULL,
    PRIMARY KEY (cell, status, species)
) WITHOUT ROWID;

CREATE TRIGGER board_insert AFTER INSERT ON board BEGIN
    INSERT INTO board_cell (cell, status, id, species, lon, lat)
    SELECT (level << 28) | (NEW.zone >> shift), NEW.status, NEW.id >> 4, NEW.species, NEW.lon, NEW.lat FROM cell_level;
    INSERT INTO board_count (cell, status, species, listings, lon_sum, lat_sum)
    SELECT (level << 28) | (NEW.zone >> shift), NEW.status, NEW.species, 1,
        CAST(NEW.lon * 1e7 AS INTEGER), CAST(NEW.lat * 1e7 AS INTEGER)
    FROM cell_level WHERE true
    ON CONFLICT (cell, status, species) DO UPDATE
    SET listings = listings + 1, lon_sum = lon_sum + excluded.lon_sum, lat_sum = lat_sum + excluded.lat_sum;
END;

CREATE TRIGGER board_delete AFTER DELETE ON board BEGIN
    DELETE FROM board_cell
    WHERE cell IN (SELECT (level << 28) | (OLD.zone >> shift) FROM cell_level) AND status = OLD.status AND id = OLD.id >> 4;
    UPDATE board_count
    SET listings = listings - 1, lon_sum = lon_sum - CAST(OLD.lon * 1e7 AS INTEGER),
        lat_sum = lat_sum - CAST(OLD.lat * 1e7 AS INTEGER)
    WHERE cell IN (SELECT (level << 28) | (OLD.zone >> shift) FROM cell_level)
        AND status = OLD.status AND species = OLD.species;
    DELETE FROM board_count
    WHERE cell IN (SELECT (level << 28) | (OLD.zone >> shift) FROM cell_level)
        AND status = OLD.status AND species = OLD.species AND listings = 0;
END;

-- The criteria that narrow a search: a breed, a species or a place, each combined with a status. Each name is stored
-- once.
CREATE TABLE facet (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE listing_facet (
    facet_id INTEGER NOT NULL REFERENCES facet,
    zone INTEGER NOT NULL,
    listing_id INTEGER NOT NULL,
    lon REAL NOT NULL,
    lat REAL NOT NULL,
    PRIMARY KEY (facet_id, zone, listing_id)
) WITHOUT ROWID;

CREATE INDEX listing_facet_time ON listing_facet (facet_id, listing_id);

-- 'lost', 'lost breed:beagle', 'hidden found place:roma'. The most common species is left out because it is not
-- selective.
CREATE VIEW listing_standing AS
    SELECT id, CASE WHEN hidden THEN 'hidden ' ELSE '' END || status AS standing, species, breed_key, place_names
    FROM listing;

-- Keys and folded names contain only letters, digits, spaces and similar characters, so nothing has to be escaped.
CREATE VIEW listing_facet_name AS
    SELECT listing_facets.id AS listing_id, json_each.value AS name
    FROM (
        SELECT id,
            '["' || standing || '"' || coalesce(',"' || standing || ' breed:' || breed_key || '"', '')
            || CASE WHEN species <> 'dog' THEN ',"' || standing || ' species:' || species || '"' ELSE '' END
            || CASE WHEN place_names <> '[]' THEN
                ',"' || standing || ' place:'
                || replace(substr(place_names, 3, length(place_names) - 4), '","', '","' || standing || ' place:') || '"'
                ELSE '' END
            || ']' AS names
        FROM listing_standing
    ) AS listing_facets CROSS JOIN json_each(listing_facets.names);

INSERT INTO facet (name) SELECT DISTINCT name FROM listing_facet_name;

INSERT INTO listing_facet (facet_id, zone, listing_id, lon, lat)
SELECT facet.id, zone, listing_id, lon, lat
FROM listing_facet_name JOIN facet ON facet.name = listing_facet_name.name
    JOIN listing_zone ON listing_zone.id = listing_id;

-- Rows are inserted in spatial order, because the R*Tree then has fewer overlapping nodes.
INSERT INTO board (id, geom, lon, lat, zone, status, species, last_seen_at, feature)
SELECT id, geom, lon, lat, zone, status, species, last_seen_at, feature FROM listing_on_board ORDER BY zone;

-- The words of a listing, plus tags for its cells and search criteria, so that all are looked up together. The listings
-- on the board have an index of their own. Names are encoded as hexadecimal digits to form single words. All cell tags
-- have a common prefix, and so have all name tags, so that they share entries in the prefix indexes.
CREATE VIEW listing_tags AS
    SELECT listing.id,
        (SELECT group_concat('cells' || ((level << 28) | (zone >> shift)), ' ') FROM cell_level)
        || coalesce(' facet' || hex('breed:' || breed_key), '')
        || CASE WHEN species <> 'dog' THEN ' facet' || hex('species:' || species) ELSE '' END
        || coalesce((
            SELECT group_concat(' facet' || hex('place:' || value), '') FROM json_each(place_names)), '') AS tags
    FROM listing CROSS JOIN listing_zone ON listing_zone.id = listing.id;

CREATE VIEW board_words AS
    SELECT listing.id, name, breed, colour, marks, description, place, province, tags
    FROM listing CROSS JOIN listing_tags ON listing_tags.id = listing.id
    WHERE status IN ('lost', 'found', 'sighted') AND NOT hidden;

CREATE VIEW archive_words AS
    SELECT listing.id, name, breed, colour, marks, description, place, province, tags
    FROM listing CROSS JOIN listing_tags ON listing_tags.id = listing.id
    WHERE status NOT IN ('lost', 'found', 'sighted') OR hidden;

CREATE VIRTUAL TABLE board_text USING fts5 (
    name, breed, colour, marks, description, place, province, tags,
    content = 'board_words', content_rowid = 'id', detail = column,
    tokenize = 'unicode61 remove_diacritics 2', prefix = '3 5'
);

CREATE VIRTUAL TABLE archive_text USING fts5 (
    name, breed, colour, marks, description, place, province, tags,
    content = 'archive_words', content_rowid = 'id', detail = column,
    tokenize = 'unicode61 remove_diacritics 2', prefix = '3 5'
);

-- 'rebuild' cannot be used, because it does not read views that contain a virtual table such as json_each.
INSERT INTO board_text (rowid, name, breed, colour, marks, description, place, province, tags)
SELECT id, name, breed, colour, marks, description, place, province, tags FROM board_words ORDER BY id;

INSERT INTO archive_text (rowid, name, breed, colour, marks, description, place, province, tags)
SELECT id, name, breed, colour, marks, description, place, province, tags FROM archive_words ORDER BY id;

-- Adds a listing to all indexes or removes it from them. A view with INSTEAD OF triggers is the only way in which
-- SQLite's triggers can share code.
CREATE VIEW listing_index AS SELECT id FROM listing;

CREATE TRIGGER listing_index_insert INSTEAD OF INSERT ON listing_index BEGIN
    INSERT OR IGNORE INTO facet (name) SELECT name FROM listing_facet_name WHERE listing_id = NEW.id;
    INSERT INTO listing_facet (facet_id, zone, listing_id, lon, lat)
    SELECT facet.id, zone, NEW.id, lon, lat
    FROM listing_zone CROSS JOIN listing_facet_name CROSS JOIN facet ON facet.name = listing_facet_name.name
    WHERE listing_zone.id = NEW.id AND listing_facet_name.listing_id = NEW.id;
    INSERT INTO board (id, geom, lon, lat, zone, status, species, last_seen_at, feature)
    SELECT id, geom, lon, lat, zone, status, species, last_seen_at, feature FROM listing_on_board
    WHERE listing_id = NEW.id;
    INSERT INTO board_text (rowid, name, breed, colour, marks, description, place, province, tags)
    SELECT id, name, breed, colour, marks, description, place, province, tags FROM board_words WHERE id = NEW.id;
    INSERT INTO archive_text (rowid, name, breed, colour, marks, description, place, province, tags)
    SELECT id, name, breed, colour, marks, description, place, province, tags FROM archive_words WHERE id = NEW.id;
END;

CREATE TRIGGER listing_index_delete INSTEAD OF DELETE ON listing_index BEGIN
    INSERT INTO archive_text (
        archive_text, rowid, name, breed, colour, marks, description, place, province, tags)
    SELECT 'delete', id, name, breed, colour, marks, description, place, province, tags
    FROM archive_words WHERE id = OLD.id;
    INSERT INTO board_text (
        board_text, rowid, name, breed, colour, marks, description, place, province, tags)
    SELECT 'delete', id, name, breed, colour, marks, description, place, province, tags
    FROM board_words WHERE id = OLD.id;
    DELETE FROM board WHERE id BETWEEN OLD.id << 4 AND (OLD.id << 4) | 15;
    DELETE FROM listing_facet
    WHERE listing_id = OLD.id AND zone = (SELECT zone FROM listing_zone WHERE id = OLD.id)
        AND facet_id IN (
            SELECT facet.id FROM listing_facet_name CROSS JOIN facet ON facet.name = listing_facet_name.name
            WHERE listing_facet_name.listing_id = OLD.id);
END;

CREATE TRIGGER listing_enters AFTER INSERT ON listing BEGIN
    INSERT INTO listing_index (id) VALUES (NEW.id);
END;

-- The trigger runs before the change, while the row still matches the indexes. Never write to listing with OR IGNORE: a
-- row that is left unchanged would be removed from the indexes anyway.
CREATE TRIGGER listing_leaves BEFORE DELETE ON listing BEGIN
    DELETE FROM listing_index WHERE id = OLD.id;
END;

CREATE TRIGGER listing_leaves_to_change BEFORE UPDATE ON listing BEGIN
    DELETE FROM listing_index WHERE id = OLD.id;
END;

CREATE TRIGGER listing_enters_changed AFTER UPDATE ON listing BEGIN
    INSERT INTO listing_index (id) VALUES (NEW.id);
END;

-- Places that an operator imports in addition to the bundled gazetteer: boundaries for exact answers, and settlements
-- and postal codes for more detail in a country.

-- An imported file. All of its places take effect together when it goes live. A file that is not live is being read,
-- was abandoned during the import, or waits to be removed.
CREATE TABLE place_source (
    -- Never used again: an import that was taken for dead must not find another's.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL CHECK (name <> ''),
    kind TEXT NOT NULL CHECK (kind IN ('boundaries', 'settlements', 'postal_codes')),
    is_live INTEGER NOT NULL DEFAULT 0 CHECK (is_live IN (0, 1)),
    places INTEGER NOT NULL DEFAULT 0 CHECK (places >= 0),
    imported_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE UNIQUE INDEX place_source_live ON place_source (name) WHERE is_live;

CREATE TABLE place (
    id INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES place_source ON DELETE CASCADE,
    -- Of settlements alone, so that looking for the nearest meets nothing else.
    geom BLOB,
    -- Of a boundary, a point inside.
    lon REAL NOT NULL CHECK (lon BETWEEN -180 AND 180),
    lat REAL NOT NULL CHECK (lat BETWEEN -90 AND 90),
    level TEXT NOT NULL CHECK (level IN
        ('country', 'region', 'province', 'comune', 'locality', 'settlement', 'postal_code')),
    name TEXT NOT NULL CHECK (name <> ''),
    -- Folded, as searches fold what people type.
    name_key TEXT NOT NULL,
    -- All its names, folded.
    names TEXT NOT NULL,
    population INTEGER CHECK (population >= 0),
    locality TEXT,
    comune TEXT,
    comune_code TEXT,
    province TEXT,
    province_code TEXT,
    region TEXT,
    country_code TEXT CHECK (length(country_code) = 2),
    postal_code TEXT,
    CHECK ((geom IS NOT NULL) = (level = 'settlement'))
);

SELECT RecoverGeometryColumn('place', 'geom', 4326, 'POINT', 'XY');
SELECT CreateSpatialIndex('place', 'geom');

CREATE INDEX place_of_source ON place (source_id);
CREATE INDEX place_name ON place (name_key);
CREATE INDEX place_postal_code ON place (postal_code) WHERE postal_code IS NOT NULL;

-- The area of a boundary in pieces of a few hundred corners, so that no look-up reads a long coastline.
CREATE TABLE place_area (
    id INTEGER PRIMARY KEY,
    place_id INTEGER NOT NULL REFERENCES place ON DELETE CASCADE,
    geom BLOB NOT NULL
);

SELECT RecoverGeometryColumn('place_area', 'geom', 4326, 'POLYGON', 'XY');
SELECT CreateSpatialIndex('place_area', 'geom');

CREATE INDEX place_area_of_place ON place_area (place_id);

-- Words are split in the same way as by `nameWords`, in which combining marks of Indian and Arabic scripts are parts of
-- words.
CREATE VIRTUAL TABLE place_text USING fts5 (
    names, content = 'place', content_rowid = 'id', detail = none, tokenize = 'unicode61 categories ''L* M* N* Co''', prefix = '1 2 3'
);

-- All words of names, for correcting misspelt ones. A word may outlive the last place with that name.
CREATE TABLE place_word (word TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TRIGGER place_text_enters AFTER INSERT ON place BEGIN
    INSERT INTO place_text (rowid, names) VALUES (NEW.id, NEW.names);
END;

CREATE TRIGGER place_text_leaves AFTER DELETE ON place BEGIN
    INSERT INTO place_text (place_text, rowid, names) VALUES ('delete', OLD.id, OLD.names);
END;

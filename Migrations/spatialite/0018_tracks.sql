-- Tracks of listings: where a collar or a search party was.

CREATE TABLE track (
    id INTEGER PRIMARY KEY,
    listing_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 20),
    kind TEXT NOT NULL CHECK (kind IN ('collar', 'search_party')),
    name TEXT CHECK (length(name) BETWEEN 1 AND 100),
    -- What the owner calls the device that sends the points; NULL for a track from a file.
    device TEXT CHECK (length(device) BETWEEN 1 AND 64),
    visibility TEXT NOT NULL CHECK (visibility IN ('owner', 'everyone')),
    -- The SHA-256 digest of the token of the device.
    token_hash BLOB UNIQUE CHECK (length(token_hash) = 32),
    opened_at TEXT NOT NULL CHECK (opened_at GLOB '????-??-??T??:??:??.???Z'),
    -- NULL while the device may send points.
    closed_at TEXT CHECK (closed_at GLOB '????-??-??T??:??:??.???Z'),
    version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
    UNIQUE (listing_id, number),
    CHECK (device IS NOT NULL OR closed_at IS NOT NULL AND token_hash IS NULL)
);

CREATE INDEX track_open ON track (device) WHERE closed_at IS NULL;

CREATE TABLE track_point (
    track_id INTEGER NOT NULL REFERENCES track ON DELETE CASCADE,
    -- The number of the line in the file; 0 for what a device sent.
    segment INTEGER NOT NULL CHECK (segment >= 0),
    -- Milliseconds since 1970 in UTC, or the number of the point in a line without times.
    position INTEGER NOT NULL,
    is_timed INTEGER NOT NULL CHECK (is_timed IN (0, 1)),
    lon REAL NOT NULL CHECK (lon BETWEEN -180 AND 180),
    lat REAL NOT NULL CHECK (lat BETWEEN -90 AND 90),
    PRIMARY KEY (track_id, segment, position)
) WITHOUT ROWID;

-- Devices send nothing more about an animal that is not looked for any more.
CREATE TRIGGER track_closes AFTER UPDATE OF status ON listing WHEN NEW.status <> OLD.status AND NEW.status <> 'lost' BEGIN
    UPDATE track SET closed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), version = version + 1
    WHERE listing_id = NEW.id AND closed_at IS NULL;
END;

-- Saved searches and listings whose owners are told about other listings.

CREATE TABLE alert (
    -- Keys are never used again, because a fan-out remembers the last one that it has compared.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    name TEXT CHECK (length(name) BETWEEN 1 AND 80),
    -- The parameters of the search of listings, as an object of texts.
    search TEXT CHECK (search IS NULL OR json_valid(search)),
    -- The listing of the same account whose possible matches the alert tells.
    listing_id INTEGER UNIQUE REFERENCES listing ON DELETE CASCADE,
    min_probability REAL CHECK (min_probability BETWEEN 0.02 AND 1),
    paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    updated_at TEXT NOT NULL CHECK (updated_at GLOB '????-??-??T??:??:??.???Z'),
    CHECK ((search IS NULL) <> (listing_id IS NULL) AND (listing_id IS NULL) = (min_probability IS NULL))
);

CREATE INDEX alert_account ON alert (account_id);

-- The boxes around the areas of searches. An alert has the ids 2 * alert.id and, across the antimeridian, 2 * alert.id + 1.
CREATE VIRTUAL TABLE alert_area USING rtree (id, west, east, south, north);

CREATE TRIGGER alert_area_leaves AFTER DELETE ON alert BEGIN
    DELETE FROM alert_area WHERE id IN (2 * OLD.id, 2 * OLD.id + 1);
END;

-- The listings that an alert has found, each once for each status.
CREATE TABLE alert_listing (
    alert_id INTEGER NOT NULL REFERENCES alert ON DELETE CASCADE,
    listing_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    status TEXT NOT NULL CHECK (status IN ('lost', 'found', 'sighted')),
    -- That of a match.
    probability REAL CHECK (probability BETWEEN 0 AND 1),
    found_at TEXT NOT NULL CHECK (found_at GLOB '????-??-??T??:??:??.???Z'),
    PRIMARY KEY (alert_id, listing_id)
) WITHOUT ROWID;

CREATE INDEX alert_listing_listing ON alert_listing (listing_id);

-- The listings that are still to be compared with alerts. Those with the fewest turns come first, so that one with many
-- readers does not delay others.
CREATE TABLE alert_fan_out (
    listing_id INTEGER PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    turn INTEGER NOT NULL DEFAULT 0 CHECK (turn >= 0),
    -- The alerts up to this one have been compared.
    last_alert_id INTEGER NOT NULL DEFAULT 0,
    -- Alerts that are created later do not find the listing.
    noted_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE INDEX alert_fan_out_turn ON alert_fan_out (turn, listing_id DESC);

CREATE TRIGGER listing_fans_out AFTER INSERT ON listing
WHEN NEW.status IN ('lost', 'found', 'sighted') AND NOT NEW.hidden AND EXISTS (SELECT 1 FROM alert) BEGIN
    INSERT INTO alert_fan_out (listing_id) VALUES (NEW.id);
END;

-- Other edits are silent.
CREATE TRIGGER listing_fans_out_again AFTER UPDATE OF status, hidden ON listing
WHEN NEW.status IN ('lost', 'found', 'sighted') AND NOT NEW.hidden AND (NEW.status <> OLD.status OR OLD.hidden)
    AND EXISTS (SELECT 1 FROM alert) BEGIN
    INSERT INTO alert_fan_out (listing_id) VALUES (NEW.id)
    ON CONFLICT DO UPDATE SET turn = 0, last_alert_id = 0, noted_at = excluded.noted_at;
END;

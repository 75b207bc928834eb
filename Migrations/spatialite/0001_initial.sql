-- Accounts, listings of lost and found animals, and places of help.
--
-- Geometry columns are NOT NULL and in the middle of the row: RecoverGeometryColumn accepts existing columns, whereas
-- AddGeometryColumn could only append them after long texts.

SELECT InitSpatialMetaData(0, 'WGS84');

CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    role TEXT NOT NULL CHECK (role IN ('guest', 'user', 'admin')),
    email TEXT COLLATE NOCASE UNIQUE CHECK (email LIKE '%_@_%'),
    password_hash TEXT CHECK (password_hash LIKE '$argon2id$%'),
    first_name TEXT,
    last_name TEXT,
    phone TEXT,
    picture TEXT,
    disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    CHECK ((role = 'guest') = (email IS NULL)),
    CHECK ((email IS NULL) = (password_hash IS NULL))
);

CREATE TABLE session (
    token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) WITHOUT ROWID;

CREATE INDEX session_account ON session (account_id);

CREATE TABLE breed (
    key TEXT PRIMARY KEY,
    name_en TEXT NOT NULL,
    name_it TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE listing (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
    hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
    status TEXT NOT NULL CHECK (status IN ('lost', 'found', 'sighted', 'reunited', 'closed')),
    species TEXT NOT NULL CHECK (species IN ('dog', 'cat', 'other')),
    breed_key TEXT REFERENCES breed,
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    updated_at TEXT NOT NULL CHECK (updated_at GLOB '????-??-??T??:??:??.???Z'),
    last_seen_at TEXT NOT NULL CHECK (last_seen_at GLOB '????-??-??T??:??:??.???Z'),
    geom POINT NOT NULL,
    approximate INTEGER NOT NULL CHECK (approximate IN (0, 1)),
    name TEXT CHECK (length(name) <= 80),
    breed TEXT CHECK (length(breed) <= 80),
    sex TEXT CHECK (sex IN ('female', 'male')),
    size TEXT CHECK (size IN ('small', 'medium', 'large')),
    colour TEXT CHECK (length(colour) <= 80),
    age TEXT CHECK (length(age) <= 40),
    microchip TEXT CHECK (length(microchip) IN (9, 10, 15)),
    place TEXT CHECK (length(place) <= 120),
    locality TEXT,
    province TEXT,
    province_code TEXT,
    region TEXT,
    country TEXT,
    country_code TEXT CHECK (length(country_code) = 2),
    postal_code TEXT,
    contact_name TEXT CHECK (length(contact_name) <= 120),
    contact_name_public INTEGER NOT NULL DEFAULT 0 CHECK (contact_name_public IN (0, 1)),
    contact_phone TEXT CHECK (length(contact_phone) <= 40),
    contact_phone_public INTEGER NOT NULL DEFAULT 0 CHECK (contact_phone_public IN (0, 1)),
    contact_email TEXT CHECK (length(contact_email) <= 254),
    contact_email_public INTEGER NOT NULL DEFAULT 0 CHECK (contact_email_public IN (0, 1)),
    reference TEXT CHECK (length(reference) <= 80),
    marks TEXT CHECK (length(marks) <= 500),
    description TEXT CHECK (length(description) <= 4000),
    UNIQUE (account_id, reference)
);

SELECT RecoverGeometryColumn('listing', 'geom', 4326, 'POINT', 'XY');
SELECT CreateSpatialIndex('listing', 'geom');

CREATE INDEX listing_created ON listing (created_at, id);
CREATE INDEX listing_account ON listing (account_id, created_at);
CREATE INDEX listing_species ON listing (species, created_at) WHERE species <> 'dog';
CREATE INDEX listing_breed ON listing (breed_key, created_at) WHERE breed_key IS NOT NULL;

-- All names of a listing's place, folded: town, locality, province, province code, region, in each language.
CREATE TABLE listing_place (
    name TEXT NOT NULL,
    listing_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    PRIMARY KEY (name, listing_id)
) WITHOUT ROWID;

CREATE INDEX listing_place_listing ON listing_place (listing_id);

CREATE VIRTUAL TABLE listing_text USING fts5 (
    name, breed, colour, marks, description, place, province,
    content = 'listing', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);

CREATE TRIGGER listing_text_insert AFTER INSERT ON listing BEGIN
    INSERT INTO listing_text (rowid, name, breed, colour, marks, description, place, province)
    VALUES (NEW.id, NEW.name, NEW.breed, NEW.colour, NEW.marks, NEW.description, NEW.place, NEW.province);
END;

CREATE TRIGGER listing_text_delete AFTER DELETE ON listing BEGIN
    INSERT INTO listing_text (listing_text, rowid, name, breed, colour, marks, description, place, province)
    VALUES ('delete', OLD.id, OLD.name, OLD.breed, OLD.colour, OLD.marks, OLD.description, OLD.place, OLD.province);
END;

CREATE TRIGGER listing_text_update
AFTER UPDATE OF name, breed, colour, marks, description, place, province ON listing BEGIN
    INSERT INTO listing_text (listing_text, rowid, name, breed, colour, marks, description, place, province)
    VALUES ('delete', OLD.id, OLD.name, OLD.breed, OLD.colour, OLD.marks, OLD.description, OLD.place, OLD.province);
    INSERT INTO listing_text (rowid, name, breed, colour, marks, description, place, province)
    VALUES (NEW.id, NEW.name, NEW.breed, NEW.colour, NEW.marks, NEW.description, NEW.place, NEW.province);
END;

CREATE TABLE poi_source (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    imports INTEGER NOT NULL DEFAULT 1,
    imported_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE TABLE poi (
    id INTEGER PRIMARY KEY,
    -- 'node/123' for what OpenStreetMap numbers; for the rest the source's name and a digest of what the place is.
    ref TEXT NOT NULL UNIQUE,
    source_id INTEGER NOT NULL REFERENCES poi_source ON DELETE CASCADE,
    -- The source's count of imports when it was last in the file: lower means vanished.
    seen INTEGER NOT NULL,
    category TEXT NOT NULL CHECK (category IN
        ('veterinary', 'pet_shop', 'animal_shelter', 'animal_boarding', 'grooming', 'dog_park')),
    geom POINT NOT NULL,
    element_type TEXT CHECK (element_type IN ('node', 'way', 'relation')),
    element_id INTEGER,
    name TEXT,
    street TEXT,
    house_number TEXT,
    postal_code TEXT,
    city TEXT,
    phone TEXT,
    website TEXT,
    opening_hours TEXT,
    CHECK ((element_type IS NULL) = (element_id IS NULL))
);

SELECT RecoverGeometryColumn('poi', 'geom', 4326, 'POINT', 'XY');
SELECT CreateSpatialIndex('poi', 'geom');

CREATE INDEX poi_source_seen ON poi (source_id, seen);

-- Events in order, written by triggers so that no change is missed. The live stream and the audit read them. The table
-- has no foreign keys, because events outlive the rows they refer to.
CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    type TEXT NOT NULL CHECK (type IN (
        'account.created', 'account.updated', 'account.removed',
        'listing.created', 'listing.updated', 'listing.removed', 'poi.imported')),
    subject TEXT NOT NULL
);

CREATE TRIGGER event_append_only BEFORE UPDATE ON event BEGIN
    SELECT RAISE(ABORT, 'events are never changed');
END;

CREATE TRIGGER account_created AFTER INSERT ON account BEGIN
    INSERT INTO event (type, subject) VALUES ('account.created', NEW.uuid);
END;

CREATE TRIGGER account_updated AFTER UPDATE ON account BEGIN
    INSERT INTO event (type, subject) VALUES ('account.updated', NEW.uuid);
END;

CREATE TRIGGER account_removed AFTER DELETE ON account BEGIN
    INSERT INTO event (type, subject) VALUES ('account.removed', OLD.uuid);
END;

CREATE TRIGGER listing_created AFTER INSERT ON listing BEGIN
    INSERT INTO event (type, subject) VALUES ('listing.created', NEW.uuid);
END;

-- For subscribers, a listing hidden by a moderator counts as removed.
CREATE TRIGGER listing_updated AFTER UPDATE ON listing WHEN NEW.version <> OLD.version BEGIN
    INSERT INTO event (type, subject)
    VALUES (CASE WHEN NEW.hidden THEN 'listing.removed' ELSE 'listing.updated' END, NEW.uuid);
END;

CREATE TRIGGER listing_removed AFTER DELETE ON listing BEGIN
    INSERT INTO event (type, subject) VALUES ('listing.removed', OLD.uuid);
END;

CREATE TRIGGER poi_imported AFTER INSERT ON poi_source BEGIN
    INSERT INTO event (type, subject) VALUES ('poi.imported', NEW.name);
END;

CREATE TRIGGER poi_imported_again AFTER UPDATE ON poi_source BEGIN
    INSERT INTO event (type, subject) VALUES ('poi.imported', NEW.name);
END;

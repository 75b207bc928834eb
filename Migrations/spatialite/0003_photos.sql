-- Photos of listings, and pictures of accounts. The files are stored beside the database and named by `uuid` and size;
-- a row is inserted only after the files are on disk.

CREATE TABLE photo (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    listing_id INTEGER REFERENCES listing ON DELETE CASCADE,
    -- Its place among those of the listing.
    number INTEGER CHECK (number BETWEEN 1 AND 6),
    account_id INTEGER UNIQUE REFERENCES account ON DELETE CASCADE,
    -- Of the largest size, pixels.
    width INTEGER NOT NULL CHECK (width > 0),
    height INTEGER NOT NULL CHECK (height > 0),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    UNIQUE (listing_id, number),
    CHECK ((listing_id IS NULL) = (number IS NULL) AND (listing_id IS NULL) <> (account_id IS NULL))
);

-- Files that may exist without a row: those about to be written, and those of deleted rows. Every file has either a row
-- in `photo` or a row here at any time, so that a crash leaves no untracked file.
CREATE TABLE photo_leftover (
    uuid TEXT PRIMARY KEY,
    removable_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX photo_leftover_removable ON photo_leftover (removable_at);

-- The photos of a listing as a JSON array: a copy, so that searches need no other table.
ALTER TABLE listing ADD COLUMN photos TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(photos));

CREATE VIEW listing_photos AS
    SELECT listing.id AS listing_id, coalesce((
        SELECT json_group_array(json_object(
            'number', number, 'width', width, 'height', height, 'url', '/photos/' || uuid || '-1600.jpg',
            'medium', '/photos/' || uuid || '-800.jpg', 'thumbnail', '/photos/' || uuid || '-320.jpg'))
        FROM (SELECT * FROM photo WHERE photo.listing_id = listing.id ORDER BY number)), '[]') AS photos
    FROM listing;

CREATE TRIGGER photo_enters AFTER INSERT ON photo BEGIN
    DELETE FROM photo_leftover WHERE uuid = NEW.uuid;
    UPDATE listing
    SET photos = (SELECT photos FROM listing_photos WHERE listing_id = NEW.listing_id), version = version + 1,
        updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE id = NEW.listing_id;
    UPDATE account
    SET picture = '/photos/' || NEW.uuid || '-800.jpg', updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE id = NEW.account_id;
END;

CREATE TRIGGER photo_leaves AFTER DELETE ON photo BEGIN
    INSERT OR REPLACE INTO photo_leftover (uuid, removable_at) VALUES (OLD.uuid, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
    UPDATE listing
    SET photos = (SELECT photos FROM listing_photos WHERE listing_id = OLD.listing_id), version = version + 1,
        updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE id = OLD.listing_id;
    UPDATE account
    SET picture = NULL, updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE id = OLD.account_id AND picture = '/photos/' || OLD.uuid || '-800.jpg';
END;

-- When the picture of an account is replaced by an external one or removed, the stored one is deleted.
CREATE TRIGGER account_picture AFTER UPDATE OF picture ON account BEGIN
    DELETE FROM photo
    WHERE account_id = NEW.id AND '/photos/' || uuid || '-800.jpg' IS NOT NEW.picture;
END;

-- Classifications of photos by a model.
CREATE TABLE classification (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    -- Nil for a photo that was only asked about: such a row goes after a day.
    photo_id INTEGER UNIQUE REFERENCES photo ON DELETE CASCADE,
    model TEXT NOT NULL,
    model_version TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'low_confidence', 'not_the_subject')),
    -- A JSON object: each label and its probability.
    predictions TEXT NOT NULL CHECK (json_valid(predictions)),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE INDEX classification_asked ON classification (created_at) WHERE photo_id IS NULL;

-- Whether the breed was predicted by a model and not entered by the owner.
ALTER TABLE listing ADD COLUMN breed_predicted INTEGER NOT NULL DEFAULT 0 CHECK (breed_predicted IN (0, 1));

DROP VIEW listing_feature;

-- The public content of a listing, as a GeoJSON Feature (RFC 7946) without its last two braces, so that a distance can
-- be appended. Coordinates have as many digits as necessary. The photos come last, because their URLs are completed
-- when a response is written.
CREATE VIEW listing_feature AS
    SELECT id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || CASE WHEN CAST(printf('%!.15g', lon) AS REAL) = lon THEN printf('%!.15g', lon) ELSE printf('%!.17g', lon) END
        || ','
        || CASE WHEN CAST(printf('%!.15g', lat) AS REAL) = lat THEN printf('%!.15g', lat) ELSE printf('%!.17g', lat) END
        || ']},"properties":' || substr(properties, 1, length(properties) - 1) AS feature
    FROM (
        SELECT id, uuid, ST_X(geom) AS lon, ST_Y(geom) AS lat, json_object(
            'status', status, 'species', species, 'name', name, 'breed', breed, 'breed_key', breed_key,
            'breed_source',
            CASE WHEN breed IS NULL THEN NULL WHEN breed_predicted THEN 'photo' ELSE 'owner' END,
            'sex', sex, 'size', size, 'colour', colour, 'age', age, 'marks', marks, 'description', description,
            'last_seen_at', last_seen_at,
            'contact_name', CASE WHEN contact_name_public THEN contact_name END,
            'contact_phone', CASE WHEN contact_phone_public THEN contact_phone END,
            'contact_email', CASE WHEN contact_email_public THEN contact_email END,
            'place', place, 'locality', locality, 'province', province, 'province_code', province_code,
            'region', region, 'country', country, 'country_code', country_code, 'postal_code', postal_code,
            'approximate', json(CASE WHEN approximate THEN 'true' ELSE 'false' END),
            'created_at', created_at, 'updated_at', updated_at, 'photos', json(photos)) AS properties
        FROM listing
    );

UPDATE board SET feature = (SELECT feature FROM listing_feature WHERE listing_feature.id = board.id >> 4);

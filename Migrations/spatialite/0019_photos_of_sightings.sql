-- Photos of sightings and of messages, and places in messages. SQLite cannot change a CHECK, so the table of photos is
-- created again, with its view and triggers as they were. The rows are kept in copies meanwhile, because dropping the table
-- deletes the classifications of its photos.
CREATE TABLE kept_photo AS SELECT * FROM photo;
CREATE TABLE kept_classification AS SELECT * FROM classification WHERE photo_id IS NOT NULL;
DROP TRIGGER photo_enters;
DROP TRIGGER photo_leaves;
DROP TRIGGER account_picture;
DROP VIEW listing_photos;
DROP TABLE photo;

CREATE TABLE photo (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    -- Exactly one of the four that a photo belongs to.
    listing_id INTEGER REFERENCES listing ON DELETE CASCADE,
    -- Its place among those of the listing.
    number INTEGER CHECK (number BETWEEN 1 AND 6),
    account_id INTEGER UNIQUE REFERENCES account ON DELETE CASCADE,
    sighting_id INTEGER UNIQUE REFERENCES sighting ON DELETE CASCADE,
    message_id INTEGER UNIQUE REFERENCES message ON DELETE CASCADE,
    -- The largest size has this width and height in pixels.
    width INTEGER NOT NULL CHECK (width > 0),
    height INTEGER NOT NULL CHECK (height > 0),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    UNIQUE (listing_id, number),
    CHECK ((listing_id IS NULL) = (number IS NULL)),
    CHECK ((listing_id IS NOT NULL) + (account_id IS NOT NULL) + (sighting_id IS NOT NULL) + (message_id IS NOT NULL) = 1)
);

INSERT INTO photo (id, uuid, listing_id, number, account_id, width, height, created_at)
SELECT id, uuid, listing_id, number, account_id, width, height, created_at FROM kept_photo;
INSERT INTO classification SELECT * FROM kept_classification;
DROP TABLE kept_classification;
DROP TABLE kept_photo;

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

-- The place that a message tells, exactly, and the town around it.
ALTER TABLE message ADD COLUMN lon REAL CHECK (lon BETWEEN -180 AND 180);
ALTER TABLE message ADD COLUMN lat REAL CHECK (lat BETWEEN -90 AND 90 AND lon IS NOT NULL OR lat IS NULL AND lon IS NULL);
ALTER TABLE message ADD COLUMN place TEXT CHECK (place IS NULL OR length(place) <= 300 AND lat IS NOT NULL);

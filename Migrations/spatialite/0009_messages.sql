-- Messages between the owner of a listing and other people, so that neither side has to reveal an address.

-- Known to the owner only; used to verify claims of ownership.
ALTER TABLE listing ADD COLUMN secret_mark TEXT CHECK (length(secret_mark) <= 200);

DROP VIEW listing_feature;

-- The public content of a listing, as a GeoJSON Feature (RFC 7946) without its last two braces, so that a distance can
-- be appended. Coordinates have as many digits as necessary. The photos come last, because their URLs are completed
-- when a response is written. For a listing without a secret mark the content is unchanged, so that its copy in `board`
-- stays valid.
CREATE VIEW listing_feature AS
    SELECT id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || CASE WHEN CAST(printf('%!.15g', lon) AS REAL) = lon THEN printf('%!.15g', lon) ELSE printf('%!.17g', lon) END
        || ','
        || CASE WHEN CAST(printf('%!.15g', lat) AS REAL) = lat THEN printf('%!.15g', lat) ELSE printf('%!.17g', lat) END
        || ']},"properties":{' || CASE WHEN asks_for_mark THEN '"asks_for_mark":true,' ELSE '' END
        || substr(properties, 2, length(properties) - 2)
        || CASE WHEN is_cell THEN ',"location_precision":"approximate"' ELSE '' END
        || ',' || substr(moments, 2, length(moments) - 2) AS feature
    FROM (
        SELECT id, uuid, ST_X(geom) AS lon, ST_Y(geom) AS lat, exact_lon IS NOT NULL AS is_cell,
            secret_mark IS NOT NULL AS asks_for_mark, json_object(
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
            'approximate', json(CASE WHEN approximate THEN 'true' ELSE 'false' END)) AS properties,
            json_object('created_at', created_at, 'updated_at', updated_at, 'photos', json(photos)) AS moments
        FROM listing
    );

-- A conversation between one writer and the owner of a listing. A guest who logs in may bring a second conversation
-- about the same listing.
CREATE TABLE conversation (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    listing_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    writer_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE INDEX conversation_listing ON conversation (listing_id, writer_id);
CREATE INDEX conversation_writer ON conversation (writer_id);

CREATE TABLE message (
    -- In order of time, and never used again: a page of an inbox begins at one.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    conversation_id INTEGER NOT NULL REFERENCES conversation ON DELETE CASCADE,
    -- Whether the owner of the listing wrote it.
    is_owners INTEGER NOT NULL CHECK (is_owners IN (0, 1)),
    text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 4000),
    contact_name TEXT CHECK (length(contact_name) <= 120),
    contact_phone TEXT CHECK (length(contact_phone) <= 40),
    contact_email TEXT CHECK (length(contact_email) <= 254),
    -- What the writer says of the secret mark, and whether it was that, which is for the owner's eyes alone.
    mark TEXT CHECK (length(mark) <= 200),
    mark_matches INTEGER CHECK (mark_matches IN (0, 1)),
    -- 0 where its reader had blocked the sender.
    is_delivered INTEGER NOT NULL CHECK (is_delivered IN (0, 1)),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    CHECK (mark IS NULL OR NOT is_owners),
    CHECK (mark_matches IS NULL OR mark IS NOT NULL)
);

CREATE INDEX message_conversation ON message (conversation_id);
CREATE INDEX message_mark ON message (conversation_id) WHERE mark IS NOT NULL;

-- The state of a conversation for each of the two parties, maintained by triggers.
CREATE TABLE conversation_party (
    conversation_id INTEGER NOT NULL REFERENCES conversation ON DELETE CASCADE,
    is_owner INTEGER NOT NULL CHECK (is_owner IN (0, 1)),
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    listing_id INTEGER NOT NULL,
    -- As they called themselves last, where the other one could read it.
    name TEXT,
    -- The last message they see; 0 where they see none.
    last_id INTEGER NOT NULL DEFAULT 0,
    -- Messages up to this one they have deleted.
    cleared_id INTEGER NOT NULL DEFAULT 0,
    unread INTEGER NOT NULL DEFAULT 0 CHECK (unread >= 0),
    PRIMARY KEY (conversation_id, is_owner)
) WITHOUT ROWID;

CREATE INDEX conversation_party_inbox ON conversation_party (account_id, last_id);
CREATE INDEX conversation_party_listing ON conversation_party (listing_id, account_id, last_id);
CREATE INDEX conversation_party_unread ON conversation_party (account_id) WHERE unread > 0;

CREATE TABLE block (
    blocker_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    blocked_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    -- What the listing was called that they wrote about: who blocked knows them by it, though conversation and listing go.
    about TEXT,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    PRIMARY KEY (blocker_id, blocked_id),
    CHECK (blocker_id <> blocked_id)
) WITHOUT ROWID;

CREATE INDEX block_blocked ON block (blocked_id);

CREATE TRIGGER conversation_begins AFTER INSERT ON conversation BEGIN
    INSERT INTO conversation_party (conversation_id, is_owner, account_id, listing_id)
    VALUES (NEW.id, 0, NEW.writer_id, NEW.listing_id),
        (NEW.id, 1, (SELECT account_id FROM listing WHERE id = NEW.listing_id), NEW.listing_id);
END;

CREATE TRIGGER message_arrives AFTER INSERT ON message BEGIN
    UPDATE conversation_party
    SET last_id = NEW.id, name = coalesce(CASE WHEN NEW.is_delivered THEN NEW.contact_name END, name)
    WHERE conversation_id = NEW.conversation_id AND is_owner = NEW.is_owners;
    UPDATE conversation_party SET last_id = NEW.id, unread = unread + 1
    WHERE conversation_id = NEW.conversation_id AND is_owner <> NEW.is_owners AND NEW.is_delivered;
END;

-- When guests log in, their conversations move to the account. Conversations of an account with itself are deleted.
CREATE TRIGGER conversation_follows_writer AFTER UPDATE OF writer_id ON conversation BEGIN
    UPDATE conversation_party SET account_id = NEW.writer_id WHERE conversation_id = NEW.id AND NOT is_owner;
    DELETE FROM conversation
    WHERE id = NEW.id AND writer_id = (SELECT account_id FROM listing WHERE id = NEW.listing_id);
END;

CREATE TRIGGER conversation_follows_listing AFTER UPDATE OF account_id ON listing BEGIN
    DELETE FROM conversation WHERE listing_id = NEW.id AND writer_id = NEW.account_id;
    UPDATE conversation_party SET account_id = NEW.account_id
    WHERE conversation_id IN (SELECT id FROM conversation WHERE listing_id = NEW.id) AND is_owner;
END;

-- Accounts at other services where new listings of an area are posted.
CREATE TABLE social_account (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    -- The organisation that has it; NULL for those of the site.
    account_id INTEGER REFERENCES account ON DELETE CASCADE,
    service TEXT NOT NULL CHECK (service IN ('telegram', 'mastodon')),
    -- The origin of a Mastodon server; NULL for Telegram, whose server the operator names.
    server TEXT CHECK (server LIKE 'https://_%'),
    chat TEXT CHECK (length(chat) BETWEEN 1 AND 40),
    -- The name of the account at the service.
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    -- Encrypted with the key of second factors.
    token BLOB NOT NULL CHECK (length(token) BETWEEN 29 AND 400),
    lon REAL NOT NULL CHECK (lon BETWEEN -180 AND 180),
    lat REAL NOT NULL CHECK (lat BETWEEN -90 AND 90),
    -- In metres.
    radius INTEGER NOT NULL CHECK (radius BETWEEN 1000 AND 1000000),
    -- A box around the circle.
    west REAL NOT NULL,
    south REAL NOT NULL,
    east REAL NOT NULL,
    north REAL NOT NULL,
    -- NULL for all.
    species TEXT CHECK (species IN ('dog', 'cat', 'other')),
    language TEXT NOT NULL CHECK (length(language) BETWEEN 2 AND 35),
    paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    problem TEXT CHECK (problem IN ('token', 'chat', 'rejected', 'unreachable')),
    problem_at TEXT CHECK (problem_at GLOB '????-??-??T??:??:??.???Z'),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    CHECK ((service = 'telegram') = (server IS NULL) AND (service = 'telegram') = (chat IS NOT NULL)),
    CHECK ((problem IS NULL) = (problem_at IS NULL))
);

CREATE INDEX social_account_owner ON social_account (account_id);

-- Listings that are at a social account, or are to be posted there. A row stays until the post is deleted, also when the
-- listing is.
CREATE TABLE social_post (
    id INTEGER PRIMARY KEY,
    social_account_id INTEGER NOT NULL REFERENCES social_account ON DELETE CASCADE,
    listing_uuid TEXT NOT NULL CHECK (length(listing_uuid) = 36),
    noted_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (noted_at GLOB '????-??-??T??:??:??.???Z'),
    -- The number of changes of the listing that the post does not show yet.
    pending INTEGER NOT NULL DEFAULT 1 CHECK (pending >= 0),
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
        CHECK (next_attempt_at GLOB '????-??-??T??:??:??.???Z'),
    -- The id of the post at the service; NULL before it is posted.
    remote_id TEXT CHECK (length(remote_id) BETWEEN 1 AND 100),
    -- A digest of the words, and the path of the photo that it shows.
    digest TEXT CHECK (length(digest) = 43),
    photo TEXT,
    UNIQUE (social_account_id, listing_uuid),
    CHECK ((remote_id IS NULL) = (digest IS NULL))
);

CREATE INDEX social_post_listing ON social_post (listing_uuid);
CREATE INDEX social_post_due ON social_post (social_account_id, next_attempt_at) WHERE pending > 0;

-- The social accounts where a listing is to be posted, unless too much waits there.
CREATE VIEW listing_social AS
    SELECT listing.id AS listing_id, listing.uuid AS listing_uuid, social_account.id AS social_account_id
    FROM listing CROSS JOIN social_account
    WHERE status IN ('lost', 'found', 'sighted') AND NOT hidden AND NOT paused
        AND (social_account.species IS NULL OR social_account.species = listing.species)
        AND ST_X(geom) BETWEEN west AND east AND ST_Y(geom) BETWEEN south AND north
        AND (SELECT count(*) FROM social_post WHERE social_account_id = social_account.id AND pending > 0) < 200;

CREATE TRIGGER listing_posts AFTER INSERT ON listing WHEN NEW.status IN ('lost', 'found', 'sighted') AND NOT NEW.hidden BEGIN
    INSERT INTO social_post (social_account_id, listing_uuid)
    SELECT social_account_id, listing_uuid FROM listing_social WHERE listing_id = NEW.id
    ON CONFLICT (social_account_id, listing_uuid) DO NOTHING;
END;

CREATE TRIGGER listing_posts_again AFTER UPDATE OF status, hidden ON listing
WHEN NEW.status IN ('lost', 'found', 'sighted') AND NOT NEW.hidden AND (NEW.status <> OLD.status OR OLD.hidden) BEGIN
    INSERT INTO social_post (social_account_id, listing_uuid)
    SELECT social_account_id, listing_uuid FROM listing_social WHERE listing_id = NEW.id
    ON CONFLICT (social_account_id, listing_uuid) DO NOTHING;
END;

CREATE TRIGGER listing_changes_posts AFTER UPDATE ON listing WHEN NEW.version <> OLD.version BEGIN
    UPDATE social_post SET pending = pending + 1 WHERE listing_uuid = NEW.uuid;
END;

CREATE TRIGGER listing_leaves_posts AFTER DELETE ON listing BEGIN
    UPDATE social_post SET pending = pending + 1 WHERE listing_uuid = OLD.uuid;
END;

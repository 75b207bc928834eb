-- Sightings of lost animals by other people, and the history of each listing.

CREATE TABLE sighting (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    listing_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    -- The owner of the listing, kept by a trigger, so that the sightings that wait for one account are found by an index.
    owner_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    -- The account that reported the sighting, or the owner who attached a listing.
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    -- The listing of this sighting, if the owner of the lost animal has attached one.
    attached_id INTEGER REFERENCES listing ON DELETE CASCADE,
    lon REAL NOT NULL CHECK (lon BETWEEN -180 AND 180),
    lat REAL NOT NULL CHECK (lat BETWEEN -90 AND 90),
    -- Whether the point is only the centre of a cell or of a town.
    approximate INTEGER NOT NULL CHECK (approximate IN (0, 1)),
    -- The town, looked up for the centre of the cell around the point.
    place TEXT CHECK (length(place) <= 300),
    seen_at TEXT NOT NULL CHECK (seen_at GLOB '????-??-??T??:??:??.???Z'),
    text TEXT CHECK (length(text) BETWEEN 1 AND 1000),
    contact_phone TEXT CHECK (length(contact_phone) <= 40),
    state TEXT NOT NULL CHECK (state IN ('proposed', 'confirmed', 'dismissed')),
    -- 0 if the owner had blocked the author: then only the author sees it.
    is_delivered INTEGER NOT NULL CHECK (is_delivered IN (0, 1)),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    UNIQUE (listing_id, attached_id),
    CHECK (is_delivered OR state = 'proposed'),
    CHECK (attached_id IS NULL OR account_id = owner_id AND text IS NULL AND contact_phone IS NULL)
);

CREATE INDEX sighting_listing ON sighting (listing_id, seen_at);
CREATE INDEX sighting_account ON sighting (account_id);
CREATE INDEX sighting_owner ON sighting (owner_id);
CREATE INDEX sighting_attached ON sighting (attached_id) WHERE attached_id IS NOT NULL;
CREATE INDEX sighting_waiting ON sighting (owner_id, listing_id) WHERE state = 'proposed' AND is_delivered = 1;

-- An account that gets the listing of a guest becomes the author of what the guest attached.
CREATE TRIGGER sighting_follows_listing AFTER UPDATE OF account_id ON listing BEGIN
    UPDATE sighting
    SET owner_id = NEW.account_id, account_id = CASE account_id WHEN OLD.account_id THEN NEW.account_id ELSE account_id END
    WHERE listing_id = NEW.id;
END;

-- What happened to a listing after it was posted. A row for each new listing is not needed: its first status is the
-- `former` one of the first change, or else the present one.
CREATE TABLE listing_history (
    id INTEGER PRIMARY KEY,
    listing_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    type TEXT NOT NULL CHECK (type IN ('status', 'expired', 'renewed', 'moved')),
    -- The status before and after a change of it. `former` is NULL for changes from before this migration.
    former TEXT CHECK (former IN ('lost', 'found', 'sighted', 'reunited', 'closed')),
    status TEXT CHECK (status IN ('lost', 'found', 'sighted', 'reunited', 'closed')),
    CHECK ((status IS NULL) = (type IN ('renewed', 'moved')) AND (former IS NULL OR status IS NOT NULL))
);

CREATE INDEX listing_history_listing ON listing_history (listing_id);

INSERT INTO listing_history (listing_id, at, type, former, status)
SELECT id, updated_at, CASE WHEN expired_from IS NULL THEN 'status' ELSE 'expired' END, expired_from, status
FROM listing LEFT JOIN listing_renewal ON listing_renewal.listing_id = listing.id
WHERE status IN ('reunited', 'closed');

CREATE TRIGGER listing_changes_status AFTER UPDATE OF status ON listing WHEN NEW.status <> OLD.status BEGIN
    INSERT INTO listing_history (listing_id, type, former, status) VALUES (NEW.id, 'status', OLD.status, NEW.status);
END;

-- The history does not tell where the listing was before: its owner may have made the position less precise.
CREATE TRIGGER listing_moves AFTER UPDATE OF geom, place ON listing
WHEN NEW.geom <> OLD.geom OR NEW.place IS NOT OLD.place BEGIN
    INSERT INTO listing_history (listing_id, type) VALUES (NEW.id, 'moved');
END;

-- The service closes an expired listing and then notes its former status.
CREATE TRIGGER listing_expires AFTER UPDATE OF expired_from ON listing_renewal
WHEN OLD.expired_from IS NULL AND NEW.expired_from IS NOT NULL BEGIN
    UPDATE listing_history SET type = 'expired'
    WHERE id = (SELECT max(id) FROM listing_history WHERE listing_id = NEW.listing_id) AND type = 'status';
END;

-- Keeps the newest 200 rows of a listing.
CREATE TRIGGER listing_history_is_bounded AFTER INSERT ON listing_history BEGIN
    DELETE FROM listing_history
    WHERE listing_id = NEW.listing_id AND id <= (
        SELECT id FROM listing_history WHERE listing_id = NEW.listing_id ORDER BY id DESC LIMIT 1 OFFSET 200);
END;

-- Reports about sightings. SQLite cannot change a CHECK, so the tables are created again. The rows are kept in copies
-- meanwhile, because dropping a table deletes the rows that refer to it.
CREATE TABLE kept_case AS SELECT * FROM report_case;
CREATE TABLE kept_report AS SELECT * FROM report;
CREATE TABLE kept_reason AS SELECT * FROM report_reason;
DROP TABLE report_reason;
DROP TABLE report;
DROP TABLE report_case;

CREATE TABLE report_case (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    subject TEXT NOT NULL CHECK (subject IN ('listing', 'photo', 'message', 'sighting')),
    subject_uuid TEXT NOT NULL CHECK (length(subject_uuid) = 36),
    -- The account that owns the subject.
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    -- What a message or sighting said: moderators see it though it is deleted.
    evidence TEXT CHECK (length(evidence) <= 4000),
    -- The listing, or that of the photo, as long as there is one.
    listing_id INTEGER REFERENCES listing ON DELETE SET NULL,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'dismissed', 'upheld')),
    -- How many, kept by a trigger.
    reports INTEGER NOT NULL DEFAULT 0,
    -- And how many of those by accounts that were registered.
    registered INTEGER NOT NULL DEFAULT 0,
    reported_at TEXT NOT NULL,
    last_reported_at TEXT NOT NULL,
    decided_at TEXT,
    CHECK ((status = 'open') = (decided_at IS NULL))
);

CREATE TABLE report (
    id INTEGER PRIMARY KEY,
    case_id INTEGER NOT NULL REFERENCES report_case ON DELETE CASCADE,
    -- The account that reported, which no output names; NULL after its deletion.
    account_id INTEGER REFERENCES account ON DELETE SET NULL,
    reason TEXT NOT NULL CHECK (reason IN ('scam', 'spam', 'abuse', 'privacy', 'wrong', 'other', 'appeal')),
    text TEXT CHECK (length(text) <= 1000),
    created_at TEXT NOT NULL,
    UNIQUE (case_id, account_id)
);

-- The number of reports in a case for each reason.
CREATE TABLE report_reason (
    case_id INTEGER NOT NULL REFERENCES report_case ON DELETE CASCADE,
    reason TEXT NOT NULL,
    reports INTEGER NOT NULL,
    PRIMARY KEY (case_id, reason)
) WITHOUT ROWID;

INSERT INTO report_case SELECT * FROM kept_case;
INSERT INTO report SELECT * FROM kept_report;
INSERT INTO report_reason SELECT * FROM kept_reason;
DROP TABLE kept_reason;
DROP TABLE kept_report;
DROP TABLE kept_case;

CREATE UNIQUE INDEX report_case_open ON report_case (subject_uuid, subject) WHERE status = 'open';
CREATE INDEX report_case_subject ON report_case (subject_uuid, subject);
CREATE INDEX report_case_status ON report_case (status);
-- Descending, so that among cases with equally many reports the oldest comes first.
CREATE INDEX report_case_most ON report_case (status, reports DESC);
CREATE INDEX report_case_decided ON report_case (decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX report_case_account ON report_case (account_id);
CREATE INDEX report_case_listing ON report_case (listing_id);
CREATE INDEX report_case_id ON report (case_id);
CREATE INDEX report_account ON report (account_id);

CREATE TRIGGER report_counts AFTER INSERT ON report BEGIN
    UPDATE report_case
    SET reports = reports + 1, last_reported_at = NEW.created_at,
        registered = registered + EXISTS (SELECT 1 FROM account WHERE id = NEW.account_id AND role <> 'guest')
    WHERE id = NEW.case_id;
    INSERT INTO report_reason (case_id, reason, reports) VALUES (NEW.case_id, NEW.reason, 1)
    ON CONFLICT (case_id, reason) DO UPDATE SET reports = reports + 1;
END;

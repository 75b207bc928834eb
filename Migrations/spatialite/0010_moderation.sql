-- Reports, decisions of moderators about them, and an audit log of all admin actions.

-- A reported subject; one case for each time that moderators have to decide. Further reports join an open case.
CREATE TABLE report_case (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    subject TEXT NOT NULL CHECK (subject IN ('listing', 'photo', 'message')),
    subject_uuid TEXT NOT NULL CHECK (length(subject_uuid) = 36),
    -- Whose it is.
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    -- What a message said: moderators see it though both who have it delete it.
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

CREATE UNIQUE INDEX report_case_open ON report_case (subject_uuid, subject) WHERE status = 'open';
CREATE INDEX report_case_subject ON report_case (subject_uuid, subject);
CREATE INDEX report_case_status ON report_case (status);
-- Descending, so that among cases with equally many reports the oldest comes first.
CREATE INDEX report_case_most ON report_case (status, reports DESC);
CREATE INDEX report_case_decided ON report_case (decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX report_case_account ON report_case (account_id);
CREATE INDEX report_case_listing ON report_case (listing_id);

CREATE TABLE report (
    id INTEGER PRIMARY KEY,
    case_id INTEGER NOT NULL REFERENCES report_case ON DELETE CASCADE,
    -- Who reported, told to nobody; NULL when that account is gone.
    account_id INTEGER REFERENCES account ON DELETE SET NULL,
    reason TEXT NOT NULL CHECK (reason IN ('scam', 'spam', 'abuse', 'privacy', 'wrong', 'other', 'appeal')),
    text TEXT CHECK (length(text) <= 1000),
    created_at TEXT NOT NULL,
    UNIQUE (case_id, account_id)
);

CREATE INDEX report_case_id ON report (case_id);
CREATE INDEX report_account ON report (account_id);

-- The number of reports in a case for each reason.
CREATE TABLE report_reason (
    case_id INTEGER NOT NULL REFERENCES report_case ON DELETE CASCADE,
    reason TEXT NOT NULL,
    reports INTEGER NOT NULL,
    PRIMARY KEY (case_id, reason)
) WITHOUT ROWID;

CREATE TRIGGER report_counts AFTER INSERT ON report BEGIN
    UPDATE report_case
    SET reports = reports + 1, last_reported_at = NEW.created_at,
        registered = registered + EXISTS (SELECT 1 FROM account WHERE id = NEW.account_id AND role <> 'guest')
    WHERE id = NEW.case_id;
    INSERT INTO report_reason (case_id, reason, reports) VALUES (NEW.case_id, NEW.reason, 1)
    ON CONFLICT (case_id, reason) DO UPDATE SET reports = reports + 1;
END;

-- When an account is deleted, the text of its reports is deleted too; the reports themselves remain without a name.
CREATE TRIGGER account_leaves_report BEFORE DELETE ON account BEGIN
    UPDATE report SET text = NULL WHERE account_id = OLD.id;
END;

-- Listings that moderators hid because of their content. `listing.hidden` is the effective state: it is set for these
-- and for all listings of banned accounts. Triggers maintain it.
CREATE TABLE listing_hiding (
    listing_id INTEGER PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    reason TEXT NOT NULL CHECK (reason IN ('scam', 'spam', 'abuse', 'privacy', 'wrong', 'other')),
    hidden_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

INSERT INTO listing_hiding (listing_id, reason)
SELECT listing_id, 'other' FROM facet CROSS JOIN listing_facet ON facet_id = facet.id
WHERE name IN ('hidden lost', 'hidden found', 'hidden sighted', 'hidden reunited', 'hidden closed');

CREATE TABLE ban (
    account_id INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    reason TEXT NOT NULL CHECK (reason IN ('scam', 'spam', 'abuse', 'privacy', 'wrong', 'other')),
    -- NULL is for good.
    until TEXT,
    banned_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE INDEX ban_until ON ban (until) WHERE until IS NOT NULL;

CREATE TRIGGER listing_hides AFTER INSERT ON listing_hiding BEGIN
    UPDATE listing SET hidden = 1, version = version + 1 WHERE id = NEW.listing_id AND NOT hidden;
END;

CREATE TRIGGER listing_is_restored AFTER DELETE ON listing_hiding BEGIN
    UPDATE listing SET hidden = 0, version = version + 1
    WHERE id = OLD.listing_id AND hidden AND NOT EXISTS (SELECT 1 FROM ban WHERE ban.account_id = listing.account_id);
END;

CREATE TRIGGER account_is_banned AFTER INSERT ON ban BEGIN
    UPDATE account SET disabled = 1 WHERE id = NEW.account_id;
    UPDATE listing SET hidden = 1, version = version + 1 WHERE account_id = NEW.account_id AND NOT hidden;
END;

-- The trigger does not run if the ban is deleted together with its account.
CREATE TRIGGER account_is_unbanned AFTER DELETE ON ban
WHEN EXISTS (SELECT 1 FROM account WHERE id = OLD.account_id) BEGIN
    UPDATE account SET disabled = 0 WHERE id = OLD.account_id;
    UPDATE listing SET hidden = 0, version = version + 1
    WHERE account_id = OLD.account_id AND hidden
        AND NOT EXISTS (SELECT 1 FROM listing_hiding WHERE listing_id = listing.id);
END;

-- Rejects a post that was in progress when its account was banned.
CREATE TRIGGER listing_of_banned BEFORE INSERT ON listing
WHEN EXISTS (SELECT 1 FROM ban WHERE account_id = NEW.account_id) BEGIN
    SELECT RAISE(ABORT, 'the account is banned');
END;

-- Hiding a listing is published as its removal, so later changes of a hidden listing are not published.
DROP TRIGGER listing_updated;
DROP TRIGGER listing_removed;

CREATE TRIGGER listing_updated AFTER UPDATE ON listing
WHEN NEW.version <> OLD.version AND NOT (OLD.hidden AND NEW.hidden) BEGIN
    INSERT INTO event (type, subject)
    VALUES (CASE WHEN NEW.hidden THEN 'listing.removed' ELSE 'listing.updated' END, NEW.uuid);
END;

CREATE TRIGGER listing_removed AFTER DELETE ON listing WHEN NOT OLD.hidden BEGIN
    INSERT INTO event (type, subject) VALUES ('listing.removed', OLD.uuid);
END;

-- The audit log of admin actions. Each entry contains the digest of the previous one, so that changes and omissions can
-- be detected. The table has no foreign keys, because entries outlive the rows they refer to.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    -- The UUID of an account, or `command-line:` and the name of the system's user, or `service`.
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    -- A UUID, or the name of a source.
    subject TEXT,
    note TEXT,
    previous BLOB NOT NULL CHECK (length(previous) = 32),
    -- SHA-256 of all of the above.
    digest BLOB NOT NULL CHECK (length(digest) = 32)
);

CREATE INDEX audit_actor ON audit (actor);
CREATE INDEX audit_action ON audit (action);
CREATE INDEX audit_subject ON audit (subject) WHERE subject IS NOT NULL;

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit is never changed');
END;

CREATE TRIGGER audit_is_never_removed BEFORE DELETE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit is never removed');
END;

-- REPLACE deletes rows without firing delete triggers, so a new entry is only accepted after the last one.
CREATE TRIGGER audit_is_appended BEFORE INSERT ON audit
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM audit)
    OR NEW.previous IS NOT coalesce((SELECT digest FROM audit ORDER BY id DESC LIMIT 1), zeroblob(32)) BEGIN
    SELECT RAISE(ABORT, 'the audit is only appended to');
END;

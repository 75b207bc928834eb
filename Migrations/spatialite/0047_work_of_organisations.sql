-- The likeliest owners of the animals of organisations. Comparing thousands of animals takes longer than a request may, so that
-- the program stores the results.

-- The open found and sighted animals of organisations, and when each is to be compared with lost ones the next time.
CREATE TABLE organisation_match_search (
    listing_id INTEGER PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    due_at TEXT NOT NULL CHECK (due_at GLOB '????-??-??T??:??:??.???Z')
);

CREATE INDEX organisation_match_search_due ON organisation_match_search (due_at);

INSERT INTO organisation_match_search (listing_id, due_at)
SELECT listing.id, '2026-11-30T00:00:00.000Z' FROM organisation CROSS JOIN listing
WHERE listing.account_id = organisation.account_id AND status IN ('found', 'sighted') AND NOT hidden;

-- The lost listings that an animal of an organisation may be, as they were at the last comparison.
CREATE TABLE organisation_match (
    listing_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    lost_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    organisation_id INTEGER NOT NULL REFERENCES organisation ON DELETE CASCADE,
    probability REAL NOT NULL CHECK (probability BETWEEN 0 AND 1),
    bits REAL NOT NULL,
    -- In metres between the public points.
    distance REAL NOT NULL CHECK (distance >= 0),
    -- From the loss to the find.
    days INTEGER NOT NULL,
    -- The reasons, the strongest first: a list of their kinds, levels and bits.
    evidence TEXT NOT NULL CHECK (json_valid(evidence)),
    PRIMARY KEY (listing_id, lost_id)
) WITHOUT ROWID;

CREATE INDEX organisation_match_lost ON organisation_match (lost_id);
CREATE INDEX organisation_match_likely ON organisation_match (organisation_id, probability, listing_id, lost_id);

-- This table tells the managers of an organisation what its members did.
CREATE TABLE organisation_action (
    id INTEGER PRIMARY KEY,
    organisation_id INTEGER NOT NULL REFERENCES organisation ON DELETE CASCADE,
    -- The account that did it; NULL after that account was deleted.
    account_id INTEGER REFERENCES account ON DELETE SET NULL,
    at TEXT NOT NULL CHECK (at GLOB '????-??-??T??:??:??.???Z'),
    action TEXT NOT NULL CHECK (length(action) BETWEEN 1 AND 40),
    -- The uuid of a listing or of an account.
    subject TEXT CHECK (length(subject) = 36),
    detail TEXT CHECK (length(detail) <= 300)
);

CREATE INDEX organisation_action_organisation ON organisation_action (organisation_id);
CREATE INDEX organisation_action_account ON organisation_action (account_id);
CREATE INDEX organisation_action_at ON organisation_action (at);

-- Whether members without a second factor can only read.
ALTER TABLE organisation ADD COLUMN requires_second_factor INTEGER NOT NULL DEFAULT 0 CHECK (requires_second_factor IN (0, 1));

-- What readers are told of listings that their alerts have found.

-- How an account wants to be told; an account without a row has the defaults.
CREATE TABLE notification_settings (
    account_id INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    email INTEGER NOT NULL DEFAULT 1 CHECK (email IN (0, 1)),
    frequency TEXT NOT NULL DEFAULT 'at_once' CHECK (frequency IN ('at_once', 'daily')),
    -- The local hour of the summary.
    summary_hour INTEGER NOT NULL DEFAULT 8 CHECK (summary_hour BETWEEN 7 AND 21),
    -- Whether very likely matches are told at once, also at night.
    likely_at_once INTEGER NOT NULL DEFAULT 1 CHECK (likely_at_once IN (0, 1)),
    -- In the links that end the mails. It allows nothing else.
    unsubscribe_token TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))) CHECK (length(unsubscribe_token) = 32),
    -- The last local day on which the reader was told at once, and how often.
    told_on TEXT CHECK (told_on GLOB '????-??-??'),
    told INTEGER NOT NULL DEFAULT 0 CHECK (told >= 0)
);

-- What is still to be told. A row is deleted in the transaction that stores the mail.
CREATE TABLE notification (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    listing_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    -- The reason why the reader is told.
    alert_id INTEGER NOT NULL REFERENCES alert ON DELETE CASCADE,
    probability REAL CHECK (probability BETWEEN 0 AND 1),
    -- Whether it waits for the reader's next summary.
    in_summary INTEGER NOT NULL CHECK (in_summary IN (0, 1)),
    -- How many batches of readers of the listing come before. The lowest come first, so that a listing with many readers
    -- does not delay another.
    turn INTEGER NOT NULL CHECK (turn >= 0),
    -- When the listing was posted, or its status changed.
    noted_at TEXT NOT NULL CHECK (noted_at GLOB '????-??-??T??:??:??.???Z'),
    UNIQUE (account_id, listing_id)
);

CREATE INDEX notification_turn ON notification (turn, listing_id DESC, id) WHERE in_summary = 0;
CREATE INDEX notification_listing ON notification (listing_id);
CREATE INDEX notification_alert ON notification (alert_id);

-- The time of the next summary of an account.
CREATE TABLE notification_summary (
    account_id INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    due_at TEXT NOT NULL CHECK (due_at GLOB '????-??-??T??:??:??.???Z')
);

CREATE INDEX notification_summary_due ON notification_summary (due_at);

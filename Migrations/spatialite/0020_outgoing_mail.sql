-- Mails that are not sent yet. A row is deleted when the mail server has accepted the mail, or when the mail is given up.
CREATE TABLE outgoing_mail (
    id INTEGER PRIMARY KEY,
    -- That of the Message-ID, the same for each attempt.
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    -- No second mail with this key is stored while this one waits.
    key TEXT UNIQUE CHECK (length(key) BETWEEN 1 AND 200),
    -- The account to which the mail belongs; NULL if it belongs to none.
    account_id INTEGER REFERENCES account ON DELETE CASCADE,
    recipient TEXT NOT NULL CHECK (recipient LIKE '%_@_%'),
    -- That of the recipient, in lower case.
    domain TEXT NOT NULL CHECK (length(domain) > 0),
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    html TEXT,
    picture BLOB CHECK (length(picture) <= 102400),
    -- Like 'image/png'.
    picture_type TEXT,
    -- How the HTML part refers to the picture.
    picture_id TEXT,
    language TEXT NOT NULL CHECK (language IN ('en', 'it')),
    -- The https URL of List-Unsubscribe.
    unsubscribe TEXT CHECK (unsubscribe LIKE 'https://_%'),
    -- Whether the mail waits until all others are sent.
    bulk INTEGER NOT NULL DEFAULT 0 CHECK (bulk IN (0, 1)),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at TEXT NOT NULL CHECK (next_attempt_at GLOB '????-??-??T??:??:??.???Z'),
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '????-??-??T??:??:??.???Z'),
    CHECK (picture IS NULL OR html IS NOT NULL),
    CHECK ((picture IS NULL) = (picture_type IS NULL) AND (picture IS NULL) = (picture_id IS NULL))
);

CREATE INDEX outgoing_mail_turn ON outgoing_mail (bulk, expires_at, id, next_attempt_at, domain);
CREATE INDEX outgoing_mail_attempt ON outgoing_mail (next_attempt_at);
CREATE INDEX outgoing_mail_account ON outgoing_mail (account_id);
CREATE INDEX outgoing_mail_expiry ON outgoing_mail (expires_at);

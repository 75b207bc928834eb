-- Sessions that expire, and actions that are confirmed by e-mail.

-- A new token is created at each login, so that a session belongs to one device.
CREATE TABLE session_before AS SELECT token_hash, account_id, created_at FROM session;

DROP TABLE session;

CREATE TABLE session (
    token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    -- What it was begun with, like 'Firefox, Android'.
    client TEXT CHECK (length(client) BETWEEN 1 AND 80),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    -- To within ten minutes: so that reads stay reads.
    last_used_at TEXT NOT NULL CHECK (last_used_at GLOB '????-??-??T??:??:??.???Z'),
    -- Unless it is used again.
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '????-??-??T??:??:??.???Z'),
    -- However much it is used.
    ends_at TEXT NOT NULL CHECK (ends_at GLOB '????-??-??T??:??:??.???Z'),
    CHECK (expires_at <= ends_at)
) WITHOUT ROWID;

-- Existing sessions get the lifetime of a session that begins now.
INSERT INTO session (token_hash, uuid, account_id, created_at, last_used_at, expires_at, ends_at)
SELECT token_hash,
    lower(printf('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
        substr(hex(randomblob(2)), 2), hex(randomblob(6)))),
    account_id, session_before.created_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now',
        CASE role WHEN 'guest' THEN '+365 days' WHEN 'admin' THEN '+1 hours' ELSE '+30 days' END),
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now',
        CASE role WHEN 'guest' THEN '+1825 days' WHEN 'admin' THEN '+24 hours' ELSE '+180 days' END)
FROM session_before JOIN account ON account.id = account_id;

DROP TABLE session_before;

CREATE INDEX session_account ON session (account_id, last_used_at);
CREATE INDEX session_expiry ON session (expires_at);

-- The language of mails to the account; NULL if it is unknown.
ALTER TABLE account ADD COLUMN language TEXT CHECK (language IN ('en', 'it'));

-- Registrations whose e-mail address is not confirmed yet. One address may occur several times, because anybody can
-- register it. Only the registration whose mail is confirmed takes effect.
CREATE TABLE pending_registration (
    -- SHA-256 of what the mail brings.
    token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
    email TEXT NOT NULL COLLATE NOCASE CHECK (email LIKE '%_@_%'),
    password_hash TEXT NOT NULL CHECK (password_hash LIKE '$argon2id$%'),
    language TEXT NOT NULL CHECK (language IN ('en', 'it')),
    first_name TEXT,
    last_name TEXT,
    phone TEXT,
    picture TEXT,
    -- Who becomes this account.
    guest_id INTEGER REFERENCES account ON DELETE SET NULL,
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '????-??-??T??:??:??.???Z')
) WITHOUT ROWID;

CREATE INDEX pending_registration_email ON pending_registration (email);
CREATE INDEX pending_registration_guest ON pending_registration (guest_id);
CREATE INDEX pending_registration_expiry ON pending_registration (expires_at);

-- Only the last mail is valid.
CREATE TABLE password_reset (
    account_id INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '????-??-??T??:??:??.???Z')
);

CREATE INDEX password_reset_expiry ON password_reset (expires_at);

CREATE TABLE address_change (
    account_id INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    email TEXT NOT NULL COLLATE NOCASE CHECK (email LIKE '%_@_%'),
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '????-??-??T??:??:??.???Z')
);

CREATE INDEX address_change_expiry ON address_change (expires_at);

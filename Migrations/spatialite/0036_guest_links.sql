-- Private links: a guest gets one by e-mail, which opens the account on any device. Its address gets the notifications of the
-- guest once the link was opened.

CREATE TABLE guest_link (
    account_id INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    -- SHA-256 of what the mail brings.
    token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    email TEXT NOT NULL COLLATE NOCASE CHECK (email LIKE '%_@_%'),
    -- NULL until the link was opened.
    confirmed_at TEXT CHECK (confirmed_at GLOB '????-??-??T??:??:??.???Z'),
    -- Each opening extends it.
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '????-??-??T??:??:??.???Z')
);

CREATE INDEX guest_link_expiry ON guest_link (expires_at);

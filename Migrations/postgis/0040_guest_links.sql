-- Private links: a guest gets one by e-mail, which opens the account on any device. Its address gets the notifications of the
-- guest once the link was opened.

CREATE TABLE guest_link (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    -- SHA-256 of what the mail brings.
    token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    email citext NOT NULL CHECK (email LIKE '%_@_%'),
    -- NULL until the link was opened.
    confirmed_at utc_time,
    -- Each opening extends it.
    expires_at utc_time NOT NULL
);

CREATE INDEX guest_link_expiry ON guest_link (expires_at);

UPDATE schema_version SET number = 40;

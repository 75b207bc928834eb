-- Responses to posts that a client may retry, stored by the key that the client chose.

CREATE TABLE idempotency_key (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    -- SHA-256 of what was sent.
    request_digest BLOB NOT NULL CHECK (length(request_digest) = 32),
    -- What was made of it; NULL when that is gone, and the answer with it.
    listing_id INTEGER REFERENCES listing,
    listing_uuid TEXT NOT NULL,
    etag TEXT NOT NULL,
    body BLOB,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    UNIQUE (account_id, key),
    CHECK ((listing_id IS NULL) = (body IS NULL))
);

CREATE INDEX idempotency_key_created ON idempotency_key (created_at);
CREATE INDEX idempotency_key_listing ON idempotency_key (listing_id);

CREATE TRIGGER listing_leaves_idempotency_key BEFORE DELETE ON listing BEGIN
    UPDATE idempotency_key SET listing_id = NULL, body = NULL WHERE listing_id = OLD.id;
END;

-- Where accounts get their notifications besides mail: browsers and servers of their own.

CREATE TABLE push_subscription (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    -- A browser that is signed out gets nothing.
    session_hash BLOB NOT NULL REFERENCES session ON DELETE CASCADE,
    endpoint TEXT NOT NULL UNIQUE CHECK (endpoint LIKE 'https://_%'),
    -- That of the endpoint.
    host TEXT NOT NULL CHECK (length(host) > 0),
    -- The keys of the browser in base64url.
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    language TEXT NOT NULL CHECK (language IN ('en', 'it')),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    -- The first failure since the last message that was accepted.
    failing_since TEXT CHECK (failing_since GLOB '????-??-??T??:??:??.???Z')
);

CREATE INDEX push_subscription_account ON push_subscription (account_id);
CREATE INDEX push_subscription_session ON push_subscription (session_hash);

CREATE TABLE webhook (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    url TEXT NOT NULL CHECK (url LIKE 'https://_%'),
    host TEXT NOT NULL CHECK (length(host) > 0),
    -- As the receiver has it, because signatures need it.
    secret TEXT NOT NULL CHECK (secret LIKE 'whsec_%'),
    previous_secret TEXT CHECK (previous_secret LIKE 'whsec_%'),
    -- Until then, messages are signed with the previous secret too.
    previous_until TEXT CHECK (previous_until GLOB '????-??-??T??:??:??.???Z'),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    failing_since TEXT CHECK (failing_since GLOB '????-??-??T??:??:??.???Z'),
    disabled_at TEXT CHECK (disabled_at GLOB '????-??-??T??:??:??.???Z'),
    -- What became of the last attempt.
    last_outcome TEXT
        CHECK (last_outcome IN ('delivered', 'refused', 'gone', 'timed_out', 'unreachable', 'untrusted')),
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
);

CREATE INDEX webhook_account ON webhook (account_id);

-- Messages that are not delivered yet. A row is deleted when the receiver has taken it, or when it is given up.
CREATE TABLE outgoing_event (
    id INTEGER PRIMARY KEY,
    -- The webhook-id, the same for each attempt.
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    push_subscription_id INTEGER REFERENCES push_subscription ON DELETE CASCADE,
    webhook_id INTEGER REFERENCES webhook ON DELETE CASCADE,
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    -- That of the receiver.
    host TEXT NOT NULL CHECK (length(host) > 0),
    -- Like 'alert.listing'.
    type TEXT NOT NULL CHECK (length(type) BETWEEN 1 AND 60),
    -- No second message with this key waits for the same receiver.
    key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    payload TEXT NOT NULL CHECK (json_valid(payload) AND length(payload) <= 16384),
    urgency TEXT NOT NULL CHECK (urgency IN ('very-low', 'low', 'normal', 'high')),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    -- Messages with a lower turn are sent first, so that a listing with many readers does not delay another.
    turn INTEGER NOT NULL DEFAULT 0 CHECK (turn >= 0),
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at TEXT NOT NULL CHECK (next_attempt_at GLOB '????-??-??T??:??:??.???Z'),
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '????-??-??T??:??:??.???Z'),
    CHECK ((push_subscription_id IS NULL) <> (webhook_id IS NULL)),
    UNIQUE (push_subscription_id, key),
    UNIQUE (webhook_id, key)
);

CREATE INDEX outgoing_event_turn ON outgoing_event (host, turn, next_attempt_at, id, webhook_id);
CREATE INDEX outgoing_event_due ON outgoing_event (host, next_attempt_at);
-- The messages to browsers that were not tried yet.
CREATE INDEX outgoing_event_fresh ON outgoing_event (host) WHERE attempts = 0 AND push_subscription_id IS NOT NULL;
CREATE INDEX outgoing_event_account ON outgoing_event (account_id, id);
CREATE INDEX outgoing_event_expiry ON outgoing_event (expires_at);
CREATE INDEX outgoing_event_time ON outgoing_event (next_attempt_at);

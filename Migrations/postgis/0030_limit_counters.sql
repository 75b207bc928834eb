-- Counters of limits that all nodes share: failed sign-ins and quotas of messages, for example. With a database file they
-- are in the memory of the process.

CREATE TABLE limit_counter (
    -- HMAC-SHA-256 of the limit and of whom it counts, the first 16 bytes.
    key bytea PRIMARY KEY CHECK (length(key) = 16),
    -- The time in seconds since 1970 at which everything counted has passed.
    passes_at double precision NOT NULL
);

CREATE INDEX limit_counter_passes_at ON limit_counter (passes_at);

-- The key of the digests. Each UUID contains 122 random bits.
CREATE TABLE limit_secret (
    id bigint PRIMARY KEY CHECK (id = 1),
    secret bytea NOT NULL CHECK (length(secret) = 32)
);

INSERT INTO limit_secret (id, secret)
VALUES (1, sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

UPDATE schema_version SET number = 30;

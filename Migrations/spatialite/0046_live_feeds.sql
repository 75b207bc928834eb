-- Addresses may be http, a file may be the one of the last import, and what tells its version is kept.
CREATE TABLE import_feed_new (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    url TEXT NOT NULL CHECK (url LIKE 'https://_%' OR url LIKE 'http://_%'),
    every_hours INTEGER NOT NULL CHECK (every_hours BETWEEN 1 AND 168),
    source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 40),
    mapping TEXT NOT NULL,
    language TEXT NOT NULL,
    close_missing TEXT NOT NULL CHECK (close_missing IN ('no', 'yes', 'all')),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    next_at TEXT NOT NULL CHECK (next_at GLOB '????-??-??T??:??:??.???Z'),
    last_at TEXT CHECK (last_at GLOB '????-??-??T??:??:??.???Z'),
    last_outcome TEXT CHECK (last_outcome IN (
        'imported', 'unchanged', 'refused', 'too_large', 'timed_out', 'unreachable', 'untrusted', 'busy', 'failed')),
    -- The uuid of the last import, whose report may be deleted.
    last_import TEXT CHECK (length(last_import) = 36),
    -- The headers ETag and Last-Modified of the file of the last import.
    entity_tag TEXT CHECK (length(entity_tag) BETWEEN 2 AND 200),
    last_modified TEXT CHECK (length(last_modified) = 29),
    UNIQUE (account_id, source)
);

INSERT INTO import_feed_new (id, uuid, account_id, url, every_hours, source, mapping, language, close_missing, created_at,
    next_at, last_at, last_outcome, last_import)
SELECT id, uuid, account_id, url, every_hours, source, mapping, language, close_missing, created_at, next_at, last_at,
    last_outcome, last_import
FROM import_feed;

DROP TABLE import_feed;

ALTER TABLE import_feed_new RENAME TO import_feed;

CREATE INDEX import_feed_next ON import_feed (next_at);

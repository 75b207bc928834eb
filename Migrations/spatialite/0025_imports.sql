-- Imports of listings over HTTP. The file of an import that has not ended is in the folder of the data.

CREATE TABLE listing_import (
    -- Keys are never used again, because listings remember the import that made them.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    -- Separates several imports of one account.
    source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 40),
    mapping TEXT NOT NULL,
    file_name TEXT,
    language TEXT NOT NULL,
    dry_run INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
    -- Whether listings that are not in the file any more are closed.
    close_missing TEXT NOT NULL CHECK (close_missing IN ('no', 'yes', 'all')),
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
    -- Why it failed.
    problem TEXT CHECK ((problem IS NOT NULL) = (state = 'failed')),
    -- The columns that are not understood, as an array.
    unknown_columns TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(unknown_columns)),
    -- The rows of the file, when they were counted.
    row_total INTEGER CHECK (row_total >= 0),
    -- The rows that were processed, from the first one on.
    row_position INTEGER NOT NULL DEFAULT 0 CHECK (row_position >= 0),
    created_count INTEGER NOT NULL DEFAULT 0,
    updated_count INTEGER NOT NULL DEFAULT 0,
    unchanged_count INTEGER NOT NULL DEFAULT 0,
    closed_count INTEGER NOT NULL DEFAULT 0,
    rejected_count INTEGER NOT NULL DEFAULT 0,
    -- How many batches were processed, so that accounts take turns.
    turn INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    started_at TEXT CHECK (started_at GLOB '????-??-??T??:??:??.???Z'),
    ended_at TEXT CHECK (ended_at GLOB '????-??-??T??:??:??.???Z'),
    CHECK ((ended_at IS NOT NULL) = (state IN ('done', 'failed', 'cancelled')))
);

CREATE INDEX listing_import_account ON listing_import (account_id);
CREATE INDEX listing_import_unfinished ON listing_import (turn, id) WHERE state IN ('waiting', 'running');

-- What became of each row. Listings that were closed because they are missing have numbers above those of rows.
CREATE TABLE listing_import_row (
    import_id INTEGER NOT NULL REFERENCES listing_import ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    reference TEXT,
    outcome TEXT NOT NULL CHECK (outcome IN ('created', 'updated', 'unchanged', 'closed', 'rejected')),
    listing_uuid TEXT,
    field TEXT,
    -- The name that the file has for the field.
    column_name TEXT,
    message TEXT,
    PRIMARY KEY (import_id, number)
) WITHOUT ROWID;

-- What identifies the rows that an unfinished import has processed: the reference, the id or a digest.
CREATE TABLE listing_import_key (
    import_id INTEGER NOT NULL REFERENCES listing_import ON DELETE CASCADE,
    row_key TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (import_id, row_key)
) WITHOUT ROWID;

-- The listings that imports made or changed.
CREATE TABLE imported_listing (
    listing_id INTEGER PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    source TEXT NOT NULL,
    row_key TEXT NOT NULL,
    -- Of the row that was read last; NULL if the next one is to be written whatever it says.
    digest BLOB,
    -- The import that made the listing. The row of the import may be deleted.
    first_import_id INTEGER NOT NULL,
    UNIQUE (account_id, source, row_key)
);

-- Files at addresses that are imported at intervals.
CREATE TABLE import_feed (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    url TEXT NOT NULL CHECK (url LIKE 'https://_%'),
    every_hours INTEGER NOT NULL CHECK (every_hours BETWEEN 1 AND 168),
    source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 40),
    mapping TEXT NOT NULL,
    language TEXT NOT NULL,
    close_missing TEXT NOT NULL CHECK (close_missing IN ('no', 'yes', 'all')),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    next_at TEXT NOT NULL CHECK (next_at GLOB '????-??-??T??:??:??.???Z'),
    last_at TEXT CHECK (last_at GLOB '????-??-??T??:??:??.???Z'),
    last_outcome TEXT CHECK (last_outcome IN (
        'imported', 'refused', 'too_large', 'timed_out', 'unreachable', 'untrusted', 'busy', 'failed')),
    -- The uuid of the last import, whose report may be deleted.
    last_import TEXT CHECK (length(last_import) = 36),
    UNIQUE (account_id, source)
);

CREATE INDEX import_feed_next ON import_feed (next_at);

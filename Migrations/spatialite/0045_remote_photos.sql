-- Photos of listings at addresses of other services, from rows of imports. They are fetched in the background.
CREATE TABLE remote_photo (
    id INTEGER PRIMARY KEY,
    listing_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    -- That of the import. Accounts have turns.
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    -- The import that named the address last; none if its report was deleted.
    import_id INTEGER REFERENCES listing_import ON DELETE SET NULL,
    url TEXT NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    -- The host of the address, with its port.
    host TEXT NOT NULL,
    -- Its place among the addresses of the row.
    position INTEGER NOT NULL CHECK (position BETWEEN 1 AND 6),
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'stored', 'failed')),
    -- Why the last attempt failed.
    problem TEXT,
    attempt_count INTEGER NOT NULL DEFAULT 0 CHECK (attempt_count >= 0),
    -- When it is fetched. While it is fetched, when it is given up for lost.
    due_at TEXT NOT NULL CHECK (due_at GLOB '????-??-??T??:??:??.???Z'),
    -- The photo that it became, which may be deleted since.
    photo_uuid TEXT,
    UNIQUE (listing_id, url)
);

CREATE INDEX remote_photo_due ON remote_photo (account_id, due_at, host) WHERE state = 'waiting';
CREATE INDEX remote_photo_import ON remote_photo (import_id, state, problem) WHERE import_id IS NOT NULL;
CREATE INDEX remote_photo_account ON remote_photo (account_id);

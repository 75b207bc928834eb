-- A plan says how the files of a source are read: which field each column is, and what values mean. The owner of the imports
-- makes it by the answers to a trial, and the next file of the source is read with it.
CREATE TABLE import_plan (
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    -- That of the imports.
    source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 40),
    plan TEXT NOT NULL CHECK (json_valid(plan)),
    updated_at TEXT NOT NULL CHECK (updated_at GLOB '????-??-??T??:??:??.???Z'),
    PRIMARY KEY (account_id, source)
) WITHOUT ROWID;

-- The plan of this import.
ALTER TABLE listing_import ADD COLUMN plan TEXT CHECK (plan IS NULL OR json_valid(plan));
-- The listings that a trial would open, for the limit of the account.
ALTER TABLE listing_import ADD COLUMN opened_count INTEGER NOT NULL DEFAULT 0;
-- The value that was rejected.
ALTER TABLE listing_import_row ADD COLUMN value TEXT;

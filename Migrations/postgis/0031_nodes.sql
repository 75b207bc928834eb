-- The files of imports, because another node than the one that received a file may import it. On SpatiaLite they are in
-- the data folder only.
CREATE TABLE listing_import_file (
    import_id bigint NOT NULL REFERENCES listing_import ON DELETE CASCADE,
    number integer NOT NULL CHECK (number >= 0),
    content bytea NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 1048576),
    PRIMARY KEY (import_id, number)
);
-- Each piece is read once, so that compression would cost more than it saves.
ALTER TABLE listing_import_file ALTER COLUMN content SET STORAGE EXTERNAL;

-- What all nodes must have in common, such as fingerprints of keys.
CREATE TABLE node_setting (
    name text PRIMARY KEY,
    value text NOT NULL
);

UPDATE schema_version SET number = 31;

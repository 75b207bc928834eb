-- A vector of the model's features for each photo, by which individuals are recognised; NULL if the model makes none.
ALTER TABLE classification ADD COLUMN vector bytea CHECK (length(vector) BETWEEN 1 AND 128);

-- As in SQLite, for the export of personal data.
CREATE FUNCTION hex(value bytea) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN upper(encode(value, 'hex'));

UPDATE schema_version SET number = 44;

-- Addresses may be http, a file may be the one of the last import, and what tells its version is kept.
ALTER TABLE import_feed DROP CONSTRAINT import_feed_url_check;
ALTER TABLE import_feed ADD CONSTRAINT import_feed_url_check CHECK (url ILIKE 'https://_%' OR url ILIKE 'http://_%');
ALTER TABLE import_feed DROP CONSTRAINT import_feed_last_outcome_check;
ALTER TABLE import_feed ADD CONSTRAINT import_feed_last_outcome_check CHECK (last_outcome IN (
    'imported', 'unchanged', 'refused', 'too_large', 'timed_out', 'unreachable', 'untrusted', 'busy', 'failed'));
-- The headers ETag and Last-Modified of the file of the last import.
ALTER TABLE import_feed ADD COLUMN entity_tag text CHECK (length(entity_tag) BETWEEN 2 AND 200);
ALTER TABLE import_feed ADD COLUMN last_modified text CHECK (length(last_modified) = 29);

UPDATE schema_version SET number = 50;

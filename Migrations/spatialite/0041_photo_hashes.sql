-- A hash of what each photo shows, by which copies of it are found; NULL in rows of earlier versions.
ALTER TABLE classification ADD COLUMN hash INTEGER;

-- Two hashes that differ in up to seven of 64 bits have a quarter that differs in at most one. A search reads thousands of
-- entries of the index, and the rows of a few.
CREATE INDEX classification_hash_1 ON classification (hash & 65535, hash, photo_id) WHERE photo_id IS NOT NULL;
CREATE INDEX classification_hash_2 ON classification ((hash >> 16) & 65535, hash, photo_id) WHERE photo_id IS NOT NULL;
CREATE INDEX classification_hash_3 ON classification ((hash >> 32) & 65535, hash, photo_id) WHERE photo_id IS NOT NULL;
CREATE INDEX classification_hash_4 ON classification ((hash >> 48) & 65535, hash, photo_id) WHERE photo_id IS NOT NULL;

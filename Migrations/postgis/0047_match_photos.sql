-- Searches for matches read the photos of few candidates. A table of its own keeps them out of the rows of all candidates.

-- The vectors of the photos of an open listing and their cosines to those of breeds, which the program makes with
-- `match_candidate.subject`. Triggers remove them with that.
CREATE TABLE match_photo (
    listing_id bigint PRIMARY KEY,
    traits bytea NOT NULL
);

CREATE FUNCTION match_photo_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM match_photo WHERE listing_id = OLD.listing_id;
    RETURN NULL;
END $$;

CREATE TRIGGER match_photo_leaves AFTER DELETE ON match_candidate FOR EACH ROW EXECUTE FUNCTION match_photo_leaves();

CREATE TRIGGER match_photo_changes AFTER UPDATE OF subject ON match_candidate FOR EACH ROW
WHEN (OLD.subject IS NOT NULL) EXECUTE FUNCTION match_photo_leaves();

UPDATE schema_version SET number = 47;

-- Searches for matches read the photos of few candidates. A table of its own keeps them out of the rows of all candidates.

-- The vectors of the photos of an open listing and their cosines to those of breeds, which the program makes with
-- `match_candidate.subject`. Triggers remove them with that.
CREATE TABLE match_photo (
    listing_id INTEGER PRIMARY KEY,
    traits BLOB NOT NULL
);

CREATE TRIGGER match_photo_leaves AFTER DELETE ON match_candidate BEGIN
    DELETE FROM match_photo WHERE listing_id = OLD.listing_id;
END;

CREATE TRIGGER match_photo_changes AFTER UPDATE OF subject ON match_candidate WHEN OLD.subject IS NOT NULL BEGIN
    DELETE FROM match_photo WHERE listing_id = OLD.listing_id;
END;

-- Listings of one side that are of one animal: sighted by several people, or posted by its owner and a neighbour.

-- Whether both listings are lost, or both found or sighted. Then lost_id is the listing that was posted first.
ALTER TABLE match_answer ADD COLUMN same_side INTEGER NOT NULL DEFAULT 0 CHECK (same_side IN (0, 1));

CREATE TABLE animal (
    id INTEGER PRIMARY KEY,
    created_at TEXT NOT NULL
);

-- The listings of an animal, at least two.
CREATE TABLE animal_listing (
    listing_id INTEGER PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    animal_id INTEGER NOT NULL REFERENCES animal ON DELETE CASCADE,
    joined_at TEXT NOT NULL,
    -- The status before another listing of the animal became reunited, and this one with it.
    former_status TEXT CHECK (former_status IN ('lost', 'found', 'sighted')),
    home_at TEXT,
    CHECK ((former_status IS NULL) = (home_at IS NULL))
);

CREATE INDEX animal_listing_animal ON animal_listing (animal_id);

-- One listing alone is no animal.
CREATE TRIGGER animal_ends AFTER DELETE ON animal_listing BEGIN
    DELETE FROM animal WHERE id = OLD.animal_id
        AND (SELECT count(*) FROM animal_listing WHERE animal_id = OLD.animal_id) < 2;
END;

-- A listing that changes its side or species is of another animal.
CREATE TRIGGER animal_listing_leaves AFTER UPDATE OF status, species ON listing
WHEN NEW.species <> OLD.species
    OR NEW.status IN ('lost', 'found', 'sighted') AND OLD.status IN ('lost', 'found', 'sighted')
        AND (NEW.status = 'lost') <> (OLD.status = 'lost')
BEGIN
    DELETE FROM animal_listing WHERE listing_id = NEW.id;
END;

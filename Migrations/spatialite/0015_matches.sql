-- Candidates for matches of lost with found and sighted animals, and the answers of their owners.

-- The open listings that are not hidden, as matches need them: which side, species and cell of 0.05 degrees (rows of
-- 7,200 columns) they belong to, and the local day by the Sun, since 1970. `blur` is 0 for an exact point, 1 for the
-- centre of a cell of 500 m and 2 for a town.
CREATE VIEW listing_match AS
    SELECT id AS listing_id,
        CASE species WHEN 'dog' THEN 0 WHEN 'cat' THEN 2 ELSE 4 END + (status <> 'lost') AS side,
        min(3599, CAST((ST_Y(geom) + 90) * 20 AS INTEGER)) * 7200
        + min(7199, CAST((ST_X(geom) + 180) * 20 AS INTEGER)) AS cell,
        (CAST(strftime('%s', last_seen_at) AS INTEGER) + 240 * CAST(round(ST_X(geom)) AS INTEGER) + 62167219200) / 86400
        - 719528 AS day,
        ST_X(geom) AS lon, ST_Y(geom) AS lat,
        CASE WHEN NOT approximate THEN 0 WHEN exact_lon IS NOT NULL THEN 1 ELSE 2 END AS blur
    FROM listing WHERE status IN ('lost', 'found', 'sighted') AND NOT hidden;

-- Triggers maintain the table; a foreign key would require an additional index.
CREATE TABLE match_candidate (
    side INTEGER NOT NULL,
    cell INTEGER NOT NULL,
    listing_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    lon REAL NOT NULL,
    lat REAL NOT NULL,
    blur INTEGER NOT NULL,
    -- What the texts of the listing say, which the program reads after the change; NULL until then.
    subject BLOB,
    PRIMARY KEY (side, cell, listing_id)
) WITHOUT ROWID;

CREATE INDEX match_candidate_unread ON match_candidate (listing_id) WHERE subject IS NULL;

INSERT INTO match_candidate (side, cell, listing_id, day, lon, lat, blur)
SELECT side, cell, listing_id, day, lon, lat, blur FROM listing_match ORDER BY 1, 2, 3;

CREATE TRIGGER match_candidate_enters INSTEAD OF INSERT ON listing_index BEGIN
    INSERT INTO match_candidate (side, cell, listing_id, day, lon, lat, blur)
    SELECT side, cell, listing_id, day, lon, lat, blur FROM listing_match WHERE listing_id = NEW.id;
END;

CREATE TRIGGER match_candidate_leaves INSTEAD OF DELETE ON listing_index BEGIN
    DELETE FROM match_candidate
    WHERE listing_id = OLD.id AND side = (SELECT side FROM listing_match WHERE listing_id = OLD.id)
        AND cell = (SELECT cell FROM listing_match WHERE listing_id = OLD.id);
END;

-- What the owners of two listings say about whether these are of the same animal.
CREATE TABLE match_answer (
    lost_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    found_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    lost_answer TEXT CHECK (lost_answer IN ('yes', 'no', 'unsure')),
    lost_answered_at TEXT,
    found_answer TEXT CHECK (found_answer IN ('yes', 'no', 'unsure')),
    found_answered_at TEXT,
    -- The status of the second listing before both answers were yes, which made both listings reunited.
    found_status TEXT CHECK (found_status IN ('found', 'sighted')),
    linked_at TEXT,
    PRIMARY KEY (lost_id, found_id),
    CHECK (coalesce(lost_answer, found_answer) IS NOT NULL),
    CHECK ((lost_answer IS NULL) = (lost_answered_at IS NULL)),
    CHECK ((found_answer IS NULL) = (found_answered_at IS NULL)),
    CHECK ((found_status IS NULL) = (linked_at IS NULL)),
    CHECK (linked_at IS NULL OR (lost_answer = 'yes' AND found_answer = 'yes'))
) WITHOUT ROWID;

CREATE INDEX match_answer_found ON match_answer (found_id);
CREATE INDEX match_answer_linked ON match_answer (linked_at) WHERE linked_at IS NOT NULL;

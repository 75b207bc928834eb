-- Searches find words by their stems, too, and listings by further facets.

-- A JSON array of names such as "colour:black", which searches find. The program derives them, so the listings of an earlier
-- version have NULL until it has.
ALTER TABLE listing ADD COLUMN facets TEXT CHECK (facets IS NULL OR json_valid(facets));

DROP TRIGGER listing_index_insert;
DROP TRIGGER listing_index_delete;
DROP TABLE board_text;
DROP TABLE archive_text;
DROP VIEW board_words;
DROP VIEW archive_words;
DROP VIEW listing_words;
DROP VIEW listing_tags;

CREATE VIEW listing_tags AS
    SELECT listing.id,
        (SELECT group_concat('cells' || ((level << 28) | (zone >> shift)), ' ') FROM cell_level)
        || CASE WHEN breed_facets IS NULL THEN coalesce(' facet' || hex('breed:' || breed_key), '') ELSE coalesce((
            SELECT group_concat(' facet' || hex(CASE WHEN mixed THEN 'cross:' ELSE 'breed:' END || value), '')
            FROM json_each(breed_facets)), '') END
        || ' facet' || hex('species:' || species)
        || coalesce((
            SELECT group_concat(' facet' || hex('place:' || value), '') FROM json_each(place_names)), '')
        || coalesce((SELECT group_concat(' facet' || hex(value), '') FROM json_each(facets)), '') AS tags
    FROM listing CROSS JOIN listing_zone ON listing_zone.id = listing.id;

CREATE VIEW listing_words AS
    SELECT id, status IN ('lost', 'found', 'sighted') AND NOT hidden AS is_on_board, name, breed, colour,
        nullif(trim(
            coalesce(age, '') || ' ' || coalesce(marks, '') || ' ' || coalesce(collar, '') || ' ' || coalesce(whereabouts, '')),
            '') AS marks,
        description, place, province
    FROM listing;

-- `stems` is a function of the program: the stems of all words of the texts, where they differ from the words.
CREATE VIEW board_words AS
    SELECT listing_words.id, name, breed, colour, marks, description, place, province, tags,
        stems(name, breed, colour, marks, description, place, province) AS stems
    FROM listing_words CROSS JOIN listing_tags ON listing_tags.id = listing_words.id
    WHERE is_on_board;

CREATE VIEW archive_words AS
    SELECT listing_words.id, name, breed, colour, marks, description, place, province, tags,
        stems(name, breed, colour, marks, description, place, province) AS stems
    FROM listing_words CROSS JOIN listing_tags ON listing_tags.id = listing_words.id
    WHERE NOT is_on_board;

CREATE VIRTUAL TABLE board_text USING fts5 (
    name, breed, colour, marks, description, place, province, tags, stems,
    content = 'board_words', content_rowid = 'id', detail = column,
    tokenize = 'unicode61 remove_diacritics 2', prefix = '3 5'
);

CREATE VIRTUAL TABLE archive_text USING fts5 (
    name, breed, colour, marks, description, place, province, tags, stems,
    content = 'archive_words', content_rowid = 'id', detail = column,
    tokenize = 'unicode61 remove_diacritics 2', prefix = '3 5'
);

INSERT INTO board_text (rowid, name, breed, colour, marks, description, place, province, tags, stems)
SELECT id, name, breed, colour, marks, description, place, province, tags, stems FROM board_words ORDER BY id;

INSERT INTO archive_text (rowid, name, breed, colour, marks, description, place, province, tags, stems)
SELECT id, name, breed, colour, marks, description, place, province, tags, stems FROM archive_words ORDER BY id;

-- Searches read all segments that these insertions have made: without this, they take twice as long.
INSERT INTO board_text (board_text) VALUES ('optimize');
INSERT INTO archive_text (archive_text) VALUES ('optimize');

CREATE TRIGGER listing_index_insert INSTEAD OF INSERT ON listing_index BEGIN
    INSERT OR IGNORE INTO facet (name) SELECT name FROM listing_facet_name WHERE listing_id = NEW.id;
    INSERT INTO listing_facet (facet_id, zone, listing_id, lon, lat)
    SELECT facet.id, zone, NEW.id, lon, lat
    FROM listing_zone CROSS JOIN listing_facet_name CROSS JOIN facet ON facet.name = listing_facet_name.name
    WHERE listing_zone.id = NEW.id AND listing_facet_name.listing_id = NEW.id;
    INSERT INTO board (id, geom, lon, lat, zone, status, species, last_seen_at, feature)
    SELECT id, geom, lon, lat, zone, status, species, last_seen_at, feature FROM listing_on_board
    WHERE listing_id = NEW.id;
    INSERT INTO board_text (rowid, name, breed, colour, marks, description, place, province, tags, stems)
    SELECT id, name, breed, colour, marks, description, place, province, tags, stems FROM board_words WHERE id = NEW.id;
    INSERT INTO archive_text (rowid, name, breed, colour, marks, description, place, province, tags, stems)
    SELECT id, name, breed, colour, marks, description, place, province, tags, stems FROM archive_words WHERE id = NEW.id;
END;

CREATE TRIGGER listing_index_delete INSTEAD OF DELETE ON listing_index BEGIN
    INSERT INTO archive_text (
        archive_text, rowid, name, breed, colour, marks, description, place, province, tags, stems)
    SELECT 'delete', id, name, breed, colour, marks, description, place, province, tags, stems
    FROM archive_words WHERE id = OLD.id;
    INSERT INTO board_text (
        board_text, rowid, name, breed, colour, marks, description, place, province, tags, stems)
    SELECT 'delete', id, name, breed, colour, marks, description, place, province, tags, stems
    FROM board_words WHERE id = OLD.id;
    DELETE FROM board WHERE id BETWEEN OLD.id << 4 AND (OLD.id << 4) | 15;
    DELETE FROM listing_facet
    WHERE listing_id = OLD.id AND zone = (SELECT zone FROM listing_zone WHERE id = OLD.id)
        AND facet_id IN (
            SELECT facet.id FROM listing_facet_name CROSS JOIN facet ON facet.name = listing_facet_name.name
            WHERE listing_facet_name.listing_id = OLD.id);
END;

-- Searches find words by their stems, too, and listings by further facets.

-- A JSON array of names such as "colour:black", which searches find. The program derives them, so the listings of an earlier
-- version have NULL until it has.
ALTER TABLE listing ADD COLUMN facets text CHECK (json_valid(facets));

-- Without stop words, which have no stem in PostgreSQL's own dictionaries.
CREATE TEXT SEARCH DICTIONARY italian_word (TEMPLATE = snowball, Language = italian);
CREATE TEXT SEARCH DICTIONARY english_word (TEMPLATE = snowball, Language = english);

-- The stem of a word of the letters a to z: `Domain/Stemmer.swift`, with the same algorithms.
CREATE FUNCTION stem(word text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT CASE WHEN length(stem) <= 4 AND length(stem) < length(word) THEN stem
            ELSE (ts_lexize('english_word', stem))[1] END
        FROM (SELECT (ts_lexize('italian_word', word))[1] AS stem) AS italian);

-- The stems of all words of the texts, where they differ from the words.
CREATE FUNCTION stems(VARIADIC texts text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (
        SELECT coalesce(string_agg(DISTINCT stem, ' ' ORDER BY stem), '')
        FROM unnest(words(array_to_string(texts, ' '))) AS word CROSS JOIN LATERAL (SELECT stem(word)) AS found (stem)
        WHERE word ~ '^[a-z]+$' AND stem <> word);

-- The entries of a text index: words; the words of the breed once more with a prefix, stems and tags with others. The
-- prefixes contain a character that is part of no word.
DROP FUNCTION listing_lexemes;

CREATE FUNCTION listing_lexemes(texts text, breed text, tags text, stems text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN array_to_tsvector(
        words(concat_ws(' ', texts, breed))
        || ARRAY(SELECT 'breed:' || word FROM unnest(words(breed)) AS word)
        || ARRAY(SELECT 'stem:' || stem FROM unnest(string_to_array(stems, ' ')) AS stem)
        || ARRAY(SELECT 'tag:' || lower(tag) FROM unnest(string_to_array(tags, ' ')) AS tag WHERE tag <> ''));

CREATE OR REPLACE VIEW listing_tags AS
    SELECT listing.id,
        concat_ws(' ',
            (SELECT string_agg('cells' || ((level << 28) | (zone >> shift)), ' ' ORDER BY level) FROM cell_level),
            CASE WHEN breed_facets IS NULL THEN
                'facet' || upper(encode(convert_to('breed:' || breed_key, 'UTF8'), 'hex'))
            ELSE (
                SELECT string_agg(
                    'facet' || upper(encode(convert_to(
                        CASE WHEN mixed THEN 'cross:' ELSE 'breed:' END || value, 'UTF8'), 'hex')), ' ')
                FROM json_array_elements_text(breed_facets::json) AS names (value)) END,
            'facet' || upper(encode(convert_to('species:' || species, 'UTF8'), 'hex')),
            (SELECT string_agg('facet' || upper(encode(convert_to('place:' || value, 'UTF8'), 'hex')), ' ')
                FROM json_array_elements_text(place_names::json) AS names (value)),
            (SELECT string_agg('facet' || upper(encode(convert_to(value, 'UTF8'), 'hex')), ' ')
                FROM json_array_elements_text(facets::json) AS names (value))) AS tags
    FROM listing JOIN listing_zone ON listing_zone.id = listing.id;

CREATE OR REPLACE VIEW listing_words AS
    SELECT id, status IN ('lost', 'found', 'sighted') AND NOT hidden AS is_on_board, name, breed, colour,
        nullif(trim(
            coalesce(age, '') || ' ' || coalesce(marks, '') || ' ' || coalesce(collar, '') || ' ' || coalesce(whereabouts, '')),
            '') AS marks,
        description, place, province
    FROM listing;

CREATE OR REPLACE VIEW board_words AS
    SELECT listing_words.id, name, breed, colour, marks, description, place, province, tags,
        stems(name, breed, colour, marks, description, place, province) AS stems
    FROM listing_words JOIN listing_tags ON listing_tags.id = listing_words.id
    WHERE is_on_board;

CREATE OR REPLACE VIEW archive_words AS
    SELECT listing_words.id, name, breed, colour, marks, description, place, province, tags,
        stems(name, breed, colour, marks, description, place, province) AS stems
    FROM listing_words JOIN listing_tags ON listing_tags.id = listing_words.id
    WHERE NOT is_on_board;

CREATE OR REPLACE FUNCTION index_listing(key bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Another transaction may insert the same name meanwhile.
    INSERT INTO facet (name)
    SELECT name FROM listing_facet_name
    WHERE listing_id = key AND NOT EXISTS (SELECT 1 FROM facet WHERE facet.name = listing_facet_name.name)
    ORDER BY name
    ON CONFLICT (name) DO NOTHING;
    INSERT INTO listing_facet (facet_id, zone, listing_id, lon, lat)
    SELECT facet.id, zone, key, lon, lat
    FROM listing_zone CROSS JOIN listing_facet_name JOIN facet ON facet.name = listing_facet_name.name
    WHERE listing_zone.id = key AND listing_facet_name.listing_id = key;
    INSERT INTO board (id, geom, lon, lat, zone, status, species, last_seen_at, feature)
    SELECT id, geom, lon, lat, zone, status, species, last_seen_at, feature
    FROM listing_on_board WHERE listing_id = key;
    INSERT INTO board_text (id, words)
    SELECT id, listing_lexemes(concat_ws(' ', name, colour, marks, description, place, province), breed, tags, stems)
    FROM board_words WHERE id = key;
    INSERT INTO archive_text (id, words)
    SELECT id, listing_lexemes(concat_ws(' ', name, colour, marks, description, place, province), breed, tags, stems)
    FROM archive_words WHERE id = key;
    INSERT INTO match_candidate (side, cell, listing_id, day, lon, lat, blur)
    SELECT side, cell, listing_id, day, lon, lat, blur FROM listing_match WHERE listing_id = key;
END $$;

-- Those of some hundred words that texts of open listings contain. A look at the index reads its list of new entries, and compares
-- each listing with all words that it is for, so that neither a look for each word nor one for all words is fast. The planner
-- knows no frequency of most words and would read the whole table.
CREATE FUNCTION words_on_board(wanted text[]) RETURNS SETOF text LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET enable_seqscan = off AS $$
DECLARE
    remaining text[];
    found text[];
BEGIN
    FOR start IN 1..cardinality(wanted) BY 25 LOOP
        remaining := wanted[start:start + 24];
        LOOP
            SELECT array_agg(DISTINCT word) INTO found
            FROM (SELECT words FROM board_text WHERE words @@ array_to_string(remaining, '|')::tsquery LIMIT 20) AS listings
                CROSS JOIN LATERAL unnest(listings.words) JOIN unnest(remaining) AS word ON word = lexeme;
            EXIT WHEN found IS NULL;
            RETURN QUERY SELECT unnest(found);
            remaining := ARRAY(SELECT word FROM unnest(remaining) AS word WHERE word <> ALL(found));
        END LOOP;
    END LOOP;
END $$;

DROP INDEX board_text_words;
DROP INDEX archive_text_words;
TRUNCATE board_text, archive_text;

INSERT INTO board_text (id, words)
SELECT id, listing_lexemes(concat_ws(' ', name, colour, marks, description, place, province), breed, tags, stems)
FROM board_words;

INSERT INTO archive_text (id, words)
SELECT id, listing_lexemes(concat_ws(' ', name, colour, marks, description, place, province), breed, tags, stems)
FROM archive_words;

CREATE INDEX board_text_words ON board_text USING gin (words);
CREATE INDEX archive_text_words ON archive_text USING gin (words);

UPDATE schema_version SET number = 38;

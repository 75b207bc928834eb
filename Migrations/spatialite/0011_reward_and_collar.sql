-- Two more texts of a listing: its collar, and the reward that its owner promises.

ALTER TABLE listing ADD COLUMN collar TEXT CHECK (length(collar) <= 200);
ALTER TABLE listing ADD COLUMN reward TEXT CHECK (length(reward) <= 120);

DROP VIEW listing_feature;
DROP VIEW board_words;
DROP VIEW archive_words;

-- The texts that everybody sees, as members of a JSON object. The migration of another such text replaces this view
-- alone. trim removes both braces and, unlike substr with length, evaluates the object once.
CREATE VIEW listing_texts AS
    SELECT id, trim(json_object(
        'colour', colour, 'age', age, 'reward', reward, 'marks', marks, 'collar', collar, 'description', description),
        '{}') AS texts
    FROM listing;

-- The public part of a listing, as a GeoJSON Feature (RFC 7946) without its last two braces, so that a distance can
-- follow. Coordinates have as many digits as are needed to read the same number back. The photos come last, because
-- their addresses are completed when they are written out.
CREATE VIEW listing_feature AS
    SELECT id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || CASE WHEN CAST(printf('%!.15g', lon) AS REAL) = lon THEN printf('%!.15g', lon) ELSE printf('%!.17g', lon) END
        || ','
        || CASE WHEN CAST(printf('%!.15g', lat) AS REAL) = lat THEN printf('%!.15g', lat) ELSE printf('%!.17g', lat) END
        || ']},"properties":{' || CASE WHEN asks_for_mark THEN '"asks_for_mark":true,' ELSE '' END
        || trim(animal, '{}') || ',' || texts || ',' || trim(place, '{}')
        || CASE WHEN is_cell THEN ',"location_precision":"approximate"' ELSE '' END
        || ',' || trim(moments, '{}') AS feature
    FROM (
        SELECT listing.id, uuid, ST_X(geom) AS lon, ST_Y(geom) AS lat, exact_lon IS NOT NULL AS is_cell,
            secret_mark IS NOT NULL AS asks_for_mark, json_object(
                'status', status, 'species', species, 'name', name, 'breed', breed, 'breed_key', breed_key,
                'breed_source',
                CASE WHEN breed IS NULL THEN NULL WHEN breed_predicted THEN 'photo' ELSE 'owner' END,
                'sex', sex, 'size', size) AS animal,
            texts, json_object(
                'last_seen_at', last_seen_at,
                'contact_name', CASE WHEN contact_name_public THEN contact_name END,
                'contact_phone', CASE WHEN contact_phone_public THEN contact_phone END,
                'contact_email', CASE WHEN contact_email_public THEN contact_email END,
                'place', place, 'locality', locality, 'province', province, 'province_code', province_code,
                'region', region, 'country', country, 'country_code', country_code, 'postal_code', postal_code,
                'approximate', json(CASE WHEN approximate THEN 'true' ELSE 'false' END)) AS place,
            json_object('created_at', created_at, 'updated_at', updated_at, 'photos', json(photos)) AS moments
        FROM listing CROSS JOIN listing_texts ON listing_texts.id = listing.id
    );

-- The words that searches find. The migration of another searched text replaces this view alone: it joins its words to
-- those of the marks, because a column of its own would mean to build both indexes again.
CREATE VIEW listing_words AS
    SELECT id, status IN ('lost', 'found', 'sighted') AND NOT hidden AS is_on_board, name, breed, colour,
        coalesce(marks || ' ' || collar, marks, collar) AS marks, description, place, province
    FROM listing;

CREATE VIEW board_words AS
    SELECT listing_words.id, name, breed, colour, marks, description, place, province, tags
    FROM listing_words CROSS JOIN listing_tags ON listing_tags.id = listing_words.id
    WHERE is_on_board;

CREATE VIEW archive_words AS
    SELECT listing_words.id, name, breed, colour, marks, description, place, province, tags
    FROM listing_words CROSS JOIN listing_tags ON listing_tags.id = listing_words.id
    WHERE NOT is_on_board;

UPDATE board SET feature = (SELECT feature FROM listing_feature WHERE listing_feature.id = board.id >> 4);

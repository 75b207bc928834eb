-- Each listing has a short code, which the program draws for new ones: `Domain/ListingCode.swift`.
ALTER TABLE listing ADD COLUMN code TEXT
    CHECK (length(code) = 7 AND code NOT GLOB '*[^23456789BCDFGHJKMNPQRSTVWXZ]*');

-- No index of a search contains the code, so the entries of listings stay as they are.
DROP TRIGGER listing_leaves_to_change;
DROP TRIGGER listing_enters_changed;

-- The condition makes SQLite draw anew for each row. Its random numbers are a stream cipher with a key of the system.
UPDATE listing SET code = (
    SELECT group_concat(substr('23456789BCDFGHJKMNPQRSTVWXZ', 1 + abs(random() % 27), 1), '')
    FROM (VALUES (1), (2), (3), (4), (5), (6), (7)) WHERE listing.uuid <> '');

-- About 50 of a million listings have the code of another one. An index that is made at the end is sorted in files.
UPDATE listing SET code = NULL
WHERE id IN (
    SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY code ORDER BY id) AS number FROM listing) WHERE number > 1);

CREATE UNIQUE INDEX listing_code ON listing (code);

-- Each draw leaves one of some thousand out.
UPDATE OR IGNORE listing SET code = (
    SELECT group_concat(substr('23456789BCDFGHJKMNPQRSTVWXZ', 1 + abs(random() % 27), 1), '')
    FROM (VALUES (1), (2), (3), (4), (5), (6), (7)) WHERE listing.uuid <> '')
WHERE code IS NULL;

UPDATE OR IGNORE listing SET code = (
    SELECT group_concat(substr('23456789BCDFGHJKMNPQRSTVWXZ', 1 + abs(random() % 27), 1), '')
    FROM (VALUES (1), (2), (3), (4), (5), (6), (7)) WHERE listing.uuid <> '')
WHERE code IS NULL;

UPDATE OR IGNORE listing SET code = (
    SELECT group_concat(substr('23456789BCDFGHJKMNPQRSTVWXZ', 1 + abs(random() % 27), 1), '')
    FROM (VALUES (1), (2), (3), (4), (5), (6), (7)) WHERE listing.uuid <> '')
WHERE code IS NULL;

CREATE TRIGGER listing_leaves_to_change BEFORE UPDATE ON listing BEGIN
    DELETE FROM listing_index WHERE id = OLD.id;
END;

CREATE TRIGGER listing_enters_changed AFTER UPDATE ON listing BEGIN
    INSERT INTO listing_index (id) VALUES (NEW.id);
END;

DROP VIEW listing_feature;

CREATE VIEW listing_feature AS
    SELECT id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || CASE WHEN CAST(printf('%!.15g', lon) AS REAL) = lon THEN printf('%!.15g', lon) ELSE printf('%!.17g', lon) END
        || ','
        || CASE WHEN CAST(printf('%!.15g', lat) AS REAL) = lat THEN printf('%!.15g', lat) ELSE printf('%!.17g', lat) END
        || ']},"properties":{' || CASE WHEN asks_for_mark THEN '"asks_for_mark":true,' ELSE '' END
        || trim(breed, '{}') || breeds || ',' || trim(animal, '{}') || ',' || texts || ',' || trim(contact, '{}') || telephone
        || ',' || trim(place, '{}')
        || CASE WHEN is_cell THEN ',"location_precision":"approximate"' ELSE '' END
        || ',' || trim(moments, '{}') AS feature
    FROM (
        SELECT listing.id, uuid, ST_X(geom) AS lon, ST_Y(geom) AS lat, exact_lon IS NOT NULL AS is_cell,
            secret_mark IS NOT NULL AS asks_for_mark, json_object(
                'code', code, 'status', status, 'species', species, 'name', name, 'breed', breed, 'breed_key', breed_key,
                'breed_source',
                CASE WHEN breed IS NULL THEN NULL WHEN breed_predicted THEN 'photo' ELSE 'owner' END) AS breed,
            coalesce(
                ',"breed_keys":' || breed_keys || ',"mixed":' || CASE WHEN mixed THEN 'true' ELSE 'false' END, '') AS breeds,
            json_object('sex', sex, 'size', size) AS animal,
            texts, json_object(
                'last_seen_at', last_seen_at,
                'contact_name', CASE WHEN contact_name_public THEN contact_name END,
                'contact_phone', CASE WHEN contact_phone_public THEN contact_phone END) AS contact,
            CASE WHEN contact_phone_public AND contact_phone_e164 IS NOT NULL
                THEN ',"contact_phone_e164":"' || contact_phone_e164 || '"' ELSE '' END AS telephone,
            json_object(
                'contact_email', CASE WHEN contact_email_public THEN contact_email END,
                'place', place, 'locality', locality, 'province', province, 'province_code', province_code,
                'region', region, 'country', country, 'country_code', country_code, 'postal_code', postal_code,
                'approximate', json(CASE WHEN approximate THEN 'true' ELSE 'false' END)) AS place,
            json_object('created_at', created_at, 'updated_at', updated_at, 'photos', json(photos)) AS moments
        FROM listing CROSS JOIN listing_texts ON listing_texts.id = listing.id
    );

UPDATE board SET feature = (SELECT feature FROM listing_feature WHERE listing_feature.id = board.id >> 4);

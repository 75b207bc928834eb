-- Addresses may be http, a file may be the one of the last import, and what tells its version is kept.
CREATE TABLE import_feed_new (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    url TEXT NOT NULL CHECK (url LIKE 'https://_%' OR url LIKE 'http://_%'),
    every_hours INTEGER NOT NULL CHECK (every_hours BETWEEN 1 AND 168),
    source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 40),
    mapping TEXT NOT NULL,
    language TEXT NOT NULL,
    close_missing TEXT NOT NULL CHECK (close_missing IN ('no', 'yes', 'all')),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    next_at TEXT NOT NULL CHECK (next_at GLOB '????-??-??T??:??:??.???Z'),
    last_at TEXT CHECK (last_at GLOB '????-??-??T??:??:??.???Z'),
    last_outcome TEXT CHECK (last_outcome IN (
        'imported', 'unchanged', 'refused', 'too_large', 'timed_out', 'unreachable', 'untrusted', 'busy', 'failed')),
    -- The uuid of the last import, whose report may be deleted.
    last_import TEXT CHECK (length(last_import) = 36),
    -- The headers ETag and Last-Modified of the file of the last import.
    entity_tag TEXT CHECK (length(entity_tag) BETWEEN 2 AND 200),
    last_modified TEXT CHECK (length(last_modified) = 29),
    UNIQUE (account_id, source)
);

INSERT INTO import_feed_new (id, uuid, account_id, url, every_hours, source, mapping, language, close_missing, created_at,
    next_at, last_at, last_outcome, last_import)
SELECT id, uuid, account_id, url, every_hours, source, mapping, language, close_missing, created_at, next_at, last_at,
    last_outcome, last_import
FROM import_feed;

DROP TABLE import_feed;

ALTER TABLE import_feed_new RENAME TO import_feed;

CREATE INDEX import_feed_next ON import_feed (next_at);

-- The page of a listing at the service where it began, of which this one has a copy.
ALTER TABLE listing ADD COLUMN origin TEXT CHECK (origin LIKE 'http%://_%');

-- The service at which the file of an import is.
ALTER TABLE listing_import ADD COLUMN service TEXT CHECK (service LIKE 'http%://_%');

DROP VIEW listing_feature;

CREATE VIEW listing_feature AS
    SELECT id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || CASE WHEN CAST(printf('%!.15g', lon) AS REAL) = lon THEN printf('%!.15g', lon) ELSE printf('%!.17g', lon) END
        || ','
        || CASE WHEN CAST(printf('%!.15g', lat) AS REAL) = lat THEN printf('%!.15g', lat) ELSE printf('%!.17g', lat) END
        || ']},"properties":{' || CASE WHEN asks_for_mark THEN '"asks_for_mark":true,' ELSE '' END
        || trim(breed, '{}') || breeds || ',' || trim(animal, '{}') || ',' || texts || ',"last_seen_at":"' || last_seen_at || '"'
        || CASE WHEN last_seen_is_day THEN ',"last_seen_precision":"day"' ELSE '' END
        || ',' || trim(contact, '{}') || telephone
        || ',' || trim(place, '{}')
        || CASE WHEN is_cell THEN ',"location_precision":"approximate"' ELSE '' END
        || CASE WHEN origin IS NULL THEN '' ELSE ',"origin":' || json_quote(origin) END || ',' || trim(moments, '{}') AS feature
    FROM (
        SELECT listing.id, uuid, ST_X(geom) AS lon, ST_Y(geom) AS lat, exact_lon IS NOT NULL AS is_cell,
            secret_mark IS NOT NULL AS asks_for_mark, origin, json_object(
                'code', code, 'status', status, 'species', species, 'name', name, 'breed', breed, 'breed_key', breed_key,
                'breed_source',
                CASE WHEN breed IS NULL THEN NULL WHEN breed_predicted THEN 'photo' ELSE 'owner' END) AS breed,
            coalesce(
                ',"breed_keys":' || breed_keys || ',"mixed":' || CASE WHEN mixed THEN 'true' ELSE 'false' END, '') AS breeds,
            json_object('sex', sex, 'size', size) AS animal,
            texts, last_seen_at, last_seen_is_day, json_object(
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

-- People often know only the day on which an animal was last seen.
ALTER TABLE listing ADD COLUMN last_seen_is_day INTEGER NOT NULL DEFAULT 0 CHECK (last_seen_is_day IN (0, 1));

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

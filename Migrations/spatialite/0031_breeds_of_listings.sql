-- The breeds that the words of a listing name. Searches find the listing by them. The program reads the words, so the listings
-- of an earlier version have NULL until it has read them; until then, searches find them by `breed_key`.

-- The keys of the breeds, in the order of the text.
ALTER TABLE listing ADD COLUMN breed_keys TEXT CHECK (breed_keys IS NULL OR json_valid(breed_keys));
-- Whether it is a cross.
ALTER TABLE listing ADD COLUMN mixed INTEGER
    CHECK (mixed IN (0, 1) AND breed_keys IS NOT NULL OR mixed IS NULL AND breed_keys IS NULL);
-- The breeds, their types, 'mixed' for crosses, and '' for dogs without a breed: `Domain/ListingBreeds.swift`.
ALTER TABLE listing ADD COLUMN breed_facets TEXT
    CHECK (json_valid(breed_facets) AND breed_keys IS NOT NULL OR breed_facets IS NULL AND breed_keys IS NULL);
-- The fingerprint of the tables with which the words were read. Other tables read them again.
ALTER TABLE listing ADD COLUMN breed_tables INTEGER
    CHECK (breed_tables IS NOT NULL AND breed_keys IS NOT NULL OR breed_tables IS NULL AND breed_keys IS NULL);

DROP VIEW listing_facet_name;
DROP VIEW listing_standing;
DROP VIEW listing_tags;
DROP VIEW listing_feature;

CREATE VIEW listing_standing AS
    SELECT id, CASE WHEN hidden THEN 'hidden ' ELSE '' END || status AS standing, species, breed_key,
        CASE WHEN mixed THEN 'cross:' ELSE 'breed:' END AS breed_kind, breed_facets, place_names
    FROM listing;

-- 'lost breed:beagle' for pure beagles and 'lost cross:beagle' for their crosses, so that a search can read both or one.
CREATE VIEW listing_facet_name AS
    SELECT listing_facets.id AS listing_id, json_each.value AS name
    FROM (
        SELECT id,
            '["' || standing || '"'
            || CASE WHEN breed_facets <> '[]' THEN
                ',"' || standing || ' ' || breed_kind
                || replace(
                    substr(breed_facets, 3, length(breed_facets) - 4), '","', '","' || standing || ' ' || breed_kind)
                || '"'
                WHEN breed_facets IS NULL AND (breed_key IS NOT NULL OR species = 'dog') THEN
                ',"' || standing || ' breed:' || coalesce(breed_key, '') || '"' ELSE '' END
            || CASE WHEN species <> 'dog' THEN ',"' || standing || ' species:' || species || '"' ELSE '' END
            || CASE WHEN place_names <> '[]' THEN
                ',"' || standing || ' place:'
                || replace(substr(place_names, 3, length(place_names) - 4), '","', '","' || standing || ' place:') || '"'
                ELSE '' END
            || ']' AS names
        FROM listing_standing
    ) AS listing_facets CROSS JOIN json_each(listing_facets.names);

CREATE VIEW listing_tags AS
    SELECT listing.id,
        (SELECT group_concat('cells' || ((level << 28) | (zone >> shift)), ' ') FROM cell_level)
        || CASE WHEN breed_facets IS NULL THEN coalesce(' facet' || hex('breed:' || breed_key), '') ELSE coalesce((
            SELECT group_concat(' facet' || hex(CASE WHEN mixed THEN 'cross:' ELSE 'breed:' END || value), '')
            FROM json_each(breed_facets)), '') END
        || CASE WHEN species <> 'dog' THEN ' facet' || hex('species:' || species) ELSE '' END
        || coalesce((
            SELECT group_concat(' facet' || hex('place:' || value), '') FROM json_each(place_names)), '') AS tags
    FROM listing CROSS JOIN listing_zone ON listing_zone.id = listing.id;

CREATE VIEW listing_feature AS
    SELECT id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || CASE WHEN CAST(printf('%!.15g', lon) AS REAL) = lon THEN printf('%!.15g', lon) ELSE printf('%!.17g', lon) END
        || ','
        || CASE WHEN CAST(printf('%!.15g', lat) AS REAL) = lat THEN printf('%!.15g', lat) ELSE printf('%!.17g', lat) END
        || ']},"properties":{' || CASE WHEN asks_for_mark THEN '"asks_for_mark":true,' ELSE '' END
        || trim(breed, '{}') || breeds || ',' || trim(animal, '{}') || ',' || texts || ',' || trim(place, '{}')
        || CASE WHEN is_cell THEN ',"location_precision":"approximate"' ELSE '' END
        || ',' || trim(moments, '{}') AS feature
    FROM (
        SELECT listing.id, uuid, ST_X(geom) AS lon, ST_Y(geom) AS lat, exact_lon IS NOT NULL AS is_cell,
            secret_mark IS NOT NULL AS asks_for_mark, json_object(
                'status', status, 'species', species, 'name', name, 'breed', breed, 'breed_key', breed_key,
                'breed_source',
                CASE WHEN breed IS NULL THEN NULL WHEN breed_predicted THEN 'photo' ELSE 'owner' END) AS breed,
            coalesce(
                ',"breed_keys":' || breed_keys || ',"mixed":' || CASE WHEN mixed THEN 'true' ELSE 'false' END, '') AS breeds,
            json_object('sex', sex, 'size', size) AS animal,
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

-- The exact position of a listing, for its owner only.
--
-- `geom` is the public position, so that no search, count, order or map of listings can reveal more. If only the cell
-- around the point is public, the point itself is in these columns, which only the owner's view of the listing reads.

ALTER TABLE listing ADD COLUMN exact_lon REAL CHECK (exact_lon BETWEEN -180 AND 180);

ALTER TABLE listing ADD COLUMN exact_lat REAL
    CHECK (exact_lat BETWEEN -90 AND 90 AND (exact_lat IS NULL) = (exact_lon IS NULL) AND approximate >= (exact_lat IS NOT NULL));

DROP VIEW listing_feature;

-- The public content of a listing, as a GeoJSON Feature (RFC 7946) without its last two braces, so that a distance can
-- be appended. Coordinates have as many digits as necessary. The photos come last, because their URLs are completed
-- when a response is written. The property for a position that is only a cell is left out for other listings, so that
-- their copies in `board` stay valid.
CREATE VIEW listing_feature AS
    SELECT id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || CASE WHEN CAST(printf('%!.15g', lon) AS REAL) = lon THEN printf('%!.15g', lon) ELSE printf('%!.17g', lon) END
        || ','
        || CASE WHEN CAST(printf('%!.15g', lat) AS REAL) = lat THEN printf('%!.15g', lat) ELSE printf('%!.17g', lat) END
        || ']},"properties":' || substr(properties, 1, length(properties) - 1)
        || CASE WHEN is_cell THEN ',"location_precision":"approximate"' ELSE '' END
        || ',' || substr(moments, 2, length(moments) - 2) AS feature
    FROM (
        SELECT id, uuid, ST_X(geom) AS lon, ST_Y(geom) AS lat, exact_lon IS NOT NULL AS is_cell, json_object(
            'status', status, 'species', species, 'name', name, 'breed', breed, 'breed_key', breed_key,
            'breed_source',
            CASE WHEN breed IS NULL THEN NULL WHEN breed_predicted THEN 'photo' ELSE 'owner' END,
            'sex', sex, 'size', size, 'colour', colour, 'age', age, 'marks', marks, 'description', description,
            'last_seen_at', last_seen_at,
            'contact_name', CASE WHEN contact_name_public THEN contact_name END,
            'contact_phone', CASE WHEN contact_phone_public THEN contact_phone END,
            'contact_email', CASE WHEN contact_email_public THEN contact_email END,
            'place', place, 'locality', locality, 'province', province, 'province_code', province_code,
            'region', region, 'country', country, 'country_code', country_code, 'postal_code', postal_code,
            'approximate', json(CASE WHEN approximate THEN 'true' ELSE 'false' END)) AS properties,
            json_object('created_at', created_at, 'updated_at', updated_at, 'photos', json(photos)) AS moments
        FROM listing
    );

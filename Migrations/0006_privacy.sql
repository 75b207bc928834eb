-- Where it was, for its owner alone.
--
-- `geom` is what everybody may know, so that whatever searches, counts, sorts or draws listings cannot tell more. Where that
-- is only the cell around the point, the point itself is here, and nothing but the owner's view of the listing reads it.

ALTER TABLE listing ADD COLUMN exact_lon REAL CHECK (exact_lon BETWEEN -180 AND 180);

ALTER TABLE listing ADD COLUMN exact_lat REAL
    CHECK (exact_lat BETWEEN -90 AND 90 AND (exact_lat IS NULL) = (exact_lon IS NULL) AND approximate >= (exact_lat IS NOT NULL));

DROP VIEW listing_feature;

-- What everybody may see of a listing, as a GeoJSON Feature (RFC 7946) without its last two braces, so that a distance can
-- follow. Of a coordinate as many digits as it takes. The photos come last: their addresses are made whole on the way out.
-- That its place is only a cell is told of those of which it is so: the others stay what the board has of them already.
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

-- What a model said of photos.

CREATE TABLE classification (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    -- Nil for a photo that was only asked about: such a row goes after a day.
    photo_id INTEGER UNIQUE REFERENCES photo ON DELETE CASCADE,
    model TEXT NOT NULL,
    model_version TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'low_confidence', 'not_the_subject')),
    -- A JSON object: each label and its probability.
    predictions TEXT NOT NULL CHECK (json_valid(predictions)),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE INDEX classification_asked ON classification (created_at) WHERE photo_id IS NULL;

-- Whether the breed is a model's word, not the owner's.
ALTER TABLE listing ADD COLUMN breed_predicted INTEGER NOT NULL DEFAULT 0 CHECK (breed_predicted IN (0, 1));

DROP VIEW listing_feature;

-- What everybody may see of a listing, as a GeoJSON Feature (RFC 7946) without its last two braces, so that a distance can
-- follow. Of a coordinate as many digits as it takes. The photos come last: their addresses are made whole on the way out.
CREATE VIEW listing_feature AS
    SELECT id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || CASE WHEN CAST(printf('%!.15g', lon) AS REAL) = lon THEN printf('%!.15g', lon) ELSE printf('%!.17g', lon) END
        || ','
        || CASE WHEN CAST(printf('%!.15g', lat) AS REAL) = lat THEN printf('%!.15g', lat) ELSE printf('%!.17g', lat) END
        || ']},"properties":' || substr(properties, 1, length(properties) - 1) AS feature
    FROM (
        SELECT id, uuid, ST_X(geom) AS lon, ST_Y(geom) AS lat, json_object(
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
            'approximate', json(CASE WHEN approximate THEN 'true' ELSE 'false' END),
            'created_at', created_at, 'updated_at', updated_at, 'photos', json(photos)) AS properties
        FROM listing
    );

UPDATE board SET feature = (SELECT feature FROM listing_feature WHERE listing_feature.id = board.id >> 4);

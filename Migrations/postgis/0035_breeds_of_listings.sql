-- The breeds that the words of a listing name. Searches find the listing by them. The program reads the words, so the listings
-- of an earlier version have NULL until it has read them; until then, searches find them by `breed_key`.

-- The keys of the breeds, in the order of the text.
ALTER TABLE listing ADD COLUMN breed_keys text CHECK (json_valid(breed_keys));
-- Whether it is a cross.
ALTER TABLE listing ADD COLUMN mixed boolean CHECK ((mixed IS NULL) = (breed_keys IS NULL));
-- The breeds, their types, 'mixed' for crosses, and '' for dogs without a breed: `Domain/ListingBreeds.swift`.
ALTER TABLE listing ADD COLUMN breed_facets text
    CHECK (json_valid(breed_facets) AND (breed_facets IS NULL) = (breed_keys IS NULL));
-- The fingerprint of the tables with which the words were read. Other tables read them again.
ALTER TABLE listing ADD COLUMN breed_tables bigint CHECK ((breed_tables IS NULL) = (breed_keys IS NULL));

CREATE OR REPLACE VIEW listing_feature AS
    SELECT listing.id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || json_real(ST_X(geom)) || ',' || json_real(ST_Y(geom)) || ']},"properties":{'
        || CASE WHEN secret_mark IS NOT NULL THEN '"asks_for_mark":true,' ELSE '' END
        || concat_ws(',', json_member('status', status), json_member('species', species), json_member('name', name),
            json_member('breed', breed), json_member('breed_key', breed_key),
            json_member('breed_source',
                CASE WHEN breed IS NULL THEN NULL WHEN breed_predicted THEN 'photo' ELSE 'owner' END),
            '"breed_keys":' || breed_keys, '"mixed":' || mixed,
            json_member('sex', sex), json_member('size', size), texts, json_member('last_seen_at', last_seen_at),
            json_member('contact_name', CASE WHEN contact_name_public THEN contact_name END),
            json_member('contact_phone', CASE WHEN contact_phone_public THEN contact_phone END),
            json_member('contact_email', CASE WHEN contact_email_public THEN contact_email END),
            json_member('place', place), json_member('locality', locality), json_member('province', province),
            json_member('province_code', province_code), json_member('region', region),
            json_member('country', country), json_member('country_code', country_code),
            json_member('postal_code', postal_code), '"approximate":' || approximate,
            CASE WHEN exact_lon IS NOT NULL THEN '"location_precision":"approximate"' END,
            json_member('created_at', created_at), json_member('updated_at', updated_at), '"photos":' || photos)
        AS feature
    FROM listing JOIN listing_texts ON listing_texts.id = listing.id;

DROP VIEW listing_facet_name;
DROP VIEW listing_standing;

CREATE VIEW listing_standing AS
    SELECT id, CASE WHEN hidden THEN 'hidden ' ELSE '' END || status AS standing, species, breed_key,
        CASE WHEN mixed THEN 'cross:' ELSE 'breed:' END AS breed_kind, breed_facets, place_names
    FROM listing;

-- 'lost breed:beagle' for pure beagles and 'lost cross:beagle' for their crosses, so that a search can read both or one.
CREATE VIEW listing_facet_name AS
    SELECT id AS listing_id, name
    FROM listing_standing CROSS JOIN LATERAL (
        SELECT standing AS name
        UNION ALL
        SELECT standing || ' ' || breed_kind || value FROM json_array_elements_text(breed_facets::json) AS facets (value)
        UNION ALL
        SELECT standing || ' breed:' || coalesce(breed_key, '')
        WHERE breed_facets IS NULL AND (breed_key IS NOT NULL OR species = 'dog')
        UNION ALL
        SELECT standing || ' species:' || species WHERE species <> 'dog'
        UNION ALL
        SELECT standing || ' place:' || value FROM json_array_elements_text(place_names::json) AS places (value)
    ) AS names;

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
                FROM json_array_elements_text(breed_facets::json) AS facets (value)) END,
            CASE WHEN species <> 'dog' THEN
                'facet' || upper(encode(convert_to('species:' || species, 'UTF8'), 'hex')) END,
            (SELECT string_agg('facet' || upper(encode(convert_to('place:' || value, 'UTF8'), 'hex')), ' ')
                FROM json_array_elements_text(place_names::json) AS places (value))) AS tags
    FROM listing JOIN listing_zone ON listing_zone.id = listing.id;

UPDATE schema_version SET number = 35;

-- Each listing has a short code, which the program draws for new ones: `Domain/ListingCode.swift`.
ALTER TABLE listing ADD COLUMN code text CHECK (code ~ '^[23456789BCDFGHJKMNPQRSTVWXZ]{7}$');

-- No index of a search contains the code, so the entries of listings stay as they are.
ALTER TABLE listing DISABLE TRIGGER USER;

-- The second half of a random UUID has 62 random bits from the system; random() would tell its next numbers.
CREATE FUNCTION random_code() RETURNS text LANGUAGE sql VOLATILE
    RETURN (
        SELECT string_agg(substr('23456789BCDFGHJKMNPQRSTVWXZ', 1 + (bits / power % 27)::int, 1), '')
        FROM (
            SELECT ('x' || right(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint & 4611686018427387903
        ) AS drawn (bits)
        CROSS JOIN (VALUES (1::bigint), (27), (729), (19683), (531441), (14348907), (387420489)) AS digits (power));

UPDATE listing SET code = random_code();

-- About 50 of a million listings have the code of another one.
DO $$
BEGIN
    LOOP
        UPDATE listing SET code = random_code()
        WHERE id IN (
            SELECT id FROM (
                SELECT id, row_number() OVER (PARTITION BY code ORDER BY id) AS number FROM listing) AS numbered
            WHERE number > 1);
        EXIT WHEN NOT FOUND;
    END LOOP;
END $$;

DROP FUNCTION random_code();

CREATE UNIQUE INDEX listing_code ON listing (code);

ALTER TABLE listing ENABLE TRIGGER USER;

CREATE OR REPLACE VIEW listing_feature AS
    SELECT listing.id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || json_real(ST_X(geom)) || ',' || json_real(ST_Y(geom)) || ']},"properties":{'
        || CASE WHEN secret_mark IS NOT NULL THEN '"asks_for_mark":true,' ELSE '' END
        || concat_ws(',', json_member('code', code), json_member('status', status), json_member('species', species), json_member('name', name),
            json_member('breed', breed), json_member('breed_key', breed_key),
            json_member('breed_source',
                CASE WHEN breed IS NULL THEN NULL WHEN breed_predicted THEN 'photo' ELSE 'owner' END),
            '"breed_keys":' || breed_keys, '"mixed":' || mixed,
            json_member('sex', sex), json_member('size', size), texts, json_member('last_seen_at', last_seen_at),
            json_member('contact_name', CASE WHEN contact_name_public THEN contact_name END),
            json_member('contact_phone', CASE WHEN contact_phone_public THEN contact_phone END),
            CASE WHEN contact_phone_public THEN '"contact_phone_e164":"' || contact_phone_e164 || '"' END,
            json_member('contact_email', CASE WHEN contact_email_public THEN contact_email END),
            json_member('place', place), json_member('locality', locality), json_member('province', province),
            json_member('province_code', province_code), json_member('region', region),
            json_member('country', country), json_member('country_code', country_code),
            json_member('postal_code', postal_code), '"approximate":' || approximate,
            CASE WHEN exact_lon IS NOT NULL THEN '"location_precision":"approximate"' END,
            json_member('created_at', created_at), json_member('updated_at', updated_at), '"photos":' || photos)
        AS feature
    FROM listing JOIN listing_texts ON listing_texts.id = listing.id;

UPDATE board SET feature = listing_feature.feature FROM listing_feature WHERE listing_feature.id = board.id >> 4;

UPDATE schema_version SET number = 42;

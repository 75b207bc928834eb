-- People often know only the day on which an animal was last seen.
ALTER TABLE listing ADD COLUMN last_seen_is_day boolean NOT NULL DEFAULT false;

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
            CASE WHEN last_seen_is_day THEN '"last_seen_precision":"day"' END,
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

UPDATE schema_version SET number = 43;

-- Addresses may be http, a file may be the one of the last import, and what tells its version is kept.
ALTER TABLE import_feed DROP CONSTRAINT import_feed_url_check;
ALTER TABLE import_feed ADD CONSTRAINT import_feed_url_check CHECK (url ILIKE 'https://_%' OR url ILIKE 'http://_%');
ALTER TABLE import_feed DROP CONSTRAINT import_feed_last_outcome_check;
ALTER TABLE import_feed ADD CONSTRAINT import_feed_last_outcome_check CHECK (last_outcome IN (
    'imported', 'unchanged', 'refused', 'too_large', 'timed_out', 'unreachable', 'untrusted', 'busy', 'failed'));
-- The headers ETag and Last-Modified of the file of the last import.
ALTER TABLE import_feed ADD COLUMN entity_tag text CHECK (length(entity_tag) BETWEEN 2 AND 200);
ALTER TABLE import_feed ADD COLUMN last_modified text CHECK (length(last_modified) = 29);

-- The page of a listing at the service where it began, of which this one has a copy.
ALTER TABLE listing ADD COLUMN origin text CHECK (origin ILIKE 'http%://_%');

-- The service at which the file of an import is.
ALTER TABLE listing_import ADD COLUMN service text CHECK (service ILIKE 'http%://_%');

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
            CASE WHEN origin IS NOT NULL THEN json_member('origin', origin) END,
            json_member('created_at', created_at), json_member('updated_at', updated_at), '"photos":' || photos)
        AS feature
    FROM listing JOIN listing_texts ON listing_texts.id = listing.id;

UPDATE schema_version SET number = 50;

-- The schema on PostgreSQL 15 with PostGIS 3.3: what the migrations for SpatiaLite up to 0027 make. Tables, columns
-- and constraints have the same names and refuse the same rows, so that stores run the same SQL;
-- Tests/Postgis/schema.py compares both.
--
-- Texts are compared by bytes, as SQLite does, so the database needs the locale C. It also makes citext and ILIKE fold
-- the letters A to Z only, like NOCASE and LIKE in SQLite.

DO $$
BEGIN
    IF NOT (
        SELECT pg_encoding_to_char(encoding) = 'UTF8' AND datlocprovider = 'c' AND datcollate IN ('C', 'POSIX')
            AND datctype IN ('C', 'POSIX')
        FROM pg_database WHERE datname = current_database())
    THEN
        RAISE EXCEPTION 'the database needs the encoding UTF8 and the locale C'
            USING HINT = 'CREATE DATABASE doggofinder TEMPLATE template0 ENCODING ''UTF8'' LOCALE ''C''';
    END IF;
END $$;

-- A role that is no superuser needs these extensions to be there.
CREATE EXTENSION IF NOT EXISTS citext;
CREATE EXTENSION IF NOT EXISTS postgis;

-- The number of the last migration, as PRAGMA user_version is on SQLite.
CREATE TABLE schema_version (
    number bigint NOT NULL
);

CREATE UNIQUE INDEX schema_version_is_one_row ON schema_version ((true));

INSERT INTO schema_version VALUES (27);

-- A time in UTC, like 2026-02-02T03:20:00.000Z. The order of these texts is the order of time.
CREATE DOMAIN utc_time AS text CHECK (VALUE LIKE '____-__-__T__:__:__.___Z');

CREATE FUNCTION utc_now() RETURNS text LANGUAGE sql VOLATILE
    RETURN to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Seconds since 1970. PostgreSQL has no year 0, so the days are counted in the 400 years of the calendar that begin in
-- 2000.
CREATE FUNCTION unix_seconds(moment text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
        (make_date(2000 + substr(moment, 1, 4)::int % 400, substr(moment, 6, 2)::int, substr(moment, 9, 2)::int)
            - DATE '1970-01-01') + (substr(moment, 1, 4)::int / 400 - 5) * 146097)::bigint * 86400
        + substr(moment, 12, 2)::int * 3600 + substr(moment, 15, 2)::int * 60 + substr(moment, 18, 2)::int;

-- The cell of level 14 that contains a point: its column and row with interleaved bits (Morton, 1966).
CREATE FUNCTION zone_of(lon double precision, lat double precision) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    x bigint := least(16383, trunc((lon + 180) / 360 * 16384)::bigint);
    y bigint := least(16383, trunc((lat + 90) / 180 * 16384)::bigint);
BEGIN
    -- Each step spreads the bits of halves of words. The masks are 0x00FF00FF, 0x0F0F0F0F, 0x33333333 and 0x55555555.
    x := (x | (x << 8)) & 16711935;
    x := (x | (x << 4)) & 252645135;
    x := (x | (x << 2)) & 858993459;
    x := (x | (x << 1)) & 1431655765;
    y := (y | (y << 8)) & 16711935;
    y := (y | (y << 4)) & 252645135;
    y := (y | (y << 2)) & 858993459;
    y := (y | (y << 1)) & 1431655765;
    RETURN x | (y << 1);
END $$;

CREATE FUNCTION json_valid(content text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    PERFORM content::json;
    RETURN true;
EXCEPTION WHEN invalid_text_representation OR untranslatable_character THEN
    RETURN false;
END $$;

-- A member of a JSON object, without the spaces that json_build_object writes. PostgreSQL inlines a function that is
-- not declared stricter than what it calls.
CREATE FUNCTION json_member(name text, content text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_json(name)::text || ':' || coalesce(to_json(content)::text, 'null');

-- The shortest decimal number that is read back as the same number, with a decimal point.
CREATE FUNCTION json_real(number double precision) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN number = trunc(number) AND abs(number) < 1e15 THEN number::text || '.0' ELSE number::text END;

-- The words of a text in lower case, as the tokenizer unicode61 of FTS5 splits them: accents of Latin letters do not
-- count, and the ranges are digits like 2 and 1/2 in other forms, which are parts of words.
CREATE FUNCTION words(content text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (
        SELECT coalesce(array_agg(DISTINCT left(word, 255)) FILTER (WHERE word <> ''), '{}')
        FROM regexp_split_to_table(
            lower(normalize(
                regexp_replace(normalize(content, NFD), '([A-Za-z\u00C0-\u024F])[\u0300-\u036F]+', '\1', 'g'), NFC)
                COLLATE "und-x-icu"),
            '[^[:alnum:]\u00B2\u00B3\u00B9\u00BC-\u00BE\u2070-\u2189\u2460-\u249B]+') AS word);

-- The entries of a text index: words; the words of the breed once more with a prefix, and tags with another. The
-- prefixes contain a character that is part of no word.
CREATE FUNCTION listing_lexemes(texts text, breed text, tags text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN array_to_tsvector(
        words(concat_ws(' ', texts, breed))
        || ARRAY(SELECT 'breed:' || word FROM unnest(words(breed)) AS word)
        || ARRAY(SELECT 'tag:' || lower(tag) FROM unnest(string_to_array(tags, ' ')) AS tag WHERE tag <> ''));

-- What stores write as on SpatiaLite. json_each reads arrays only; its values are texts, as those of json_extract are.

CREATE FUNCTION MakePoint(lon double precision, lat double precision, srid integer) RETURNS geometry(Point)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ST_SetSRID(ST_MakePoint(lon, lat), srid);

CREATE FUNCTION json_each(content text) RETURNS TABLE (key bigint, value text)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    SELECT number - 1, item FROM json_array_elements_text(content::json) WITH ORDINALITY AS items (item, number);
END;

CREATE FUNCTION json_extract(content text, path text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN jsonb_path_query_first(content::jsonb, path::jsonpath) #>> '{}';

CREATE FUNCTION json_quote(content text) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN to_json(content)::text;

-- With two arguments; the aggregates have one.
CREATE FUNCTION min(a anycompatible, b anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT least(a, b)';

CREATE FUNCTION max(a anycompatible, b anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT greatest(a, b)';

-- SQLite uses a partial index only if a statement repeats its condition, such as `hidden = 0`.
CREATE FUNCTION boolean_is(condition boolean, number integer) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN condition = (number <> 0);

CREATE OPERATOR = (LEFTARG = boolean, RIGHTARG = integer, FUNCTION = boolean_is);

-- Accounts

CREATE TABLE account (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    role text NOT NULL CHECK (role IN ('guest', 'user', 'admin', 'organisation')),
    email citext UNIQUE CHECK (email LIKE '%_@_%'),
    password_hash text CHECK (password_hash ILIKE '$argon2id$%'),
    first_name text,
    last_name text,
    phone text,
    picture text,
    disabled boolean NOT NULL DEFAULT false,
    created_at text NOT NULL DEFAULT utc_now(),
    updated_at text NOT NULL DEFAULT utc_now(),
    language text CHECK (language IN ('en', 'it')),
    email_confirmed boolean NOT NULL DEFAULT true,
    CHECK ((role IN ('guest', 'organisation')) = (email IS NULL)),
    CHECK ((email IS NULL) = (password_hash IS NULL))
);

CREATE TABLE session (
    token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    -- What it was begun with, like 'Firefox, Android'.
    client text CHECK (length(client) BETWEEN 1 AND 80),
    created_at utc_time NOT NULL,
    -- To within ten minutes: so that reads stay reads.
    last_used_at utc_time NOT NULL,
    -- Unless it is used again.
    expires_at utc_time NOT NULL,
    -- However much it is used.
    ends_at utc_time NOT NULL,
    CHECK (expires_at <= ends_at)
);

CREATE INDEX session_account ON session (account_id, last_used_at);
CREATE INDEX session_expiry ON session (expires_at);

-- Registrations whose e-mail address is not confirmed yet. One address may occur several times, because anybody can
-- register it. Only the registration whose mail is confirmed takes effect.
CREATE TABLE pending_registration (
    -- SHA-256 of what the mail brings.
    token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
    email citext NOT NULL CHECK (email LIKE '%_@_%'),
    password_hash text NOT NULL CHECK (password_hash ILIKE '$argon2id$%'),
    language text NOT NULL CHECK (language IN ('en', 'it')),
    first_name text,
    last_name text,
    phone text,
    picture text,
    -- The guest that becomes this account.
    guest_id bigint REFERENCES account ON DELETE SET NULL,
    expires_at utc_time NOT NULL
);

CREATE INDEX pending_registration_email ON pending_registration (email);
CREATE INDEX pending_registration_guest ON pending_registration (guest_id);
CREATE INDEX pending_registration_expiry ON pending_registration (expires_at);

-- Only the last mail is valid.
CREATE TABLE password_reset (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    expires_at utc_time NOT NULL
);

CREATE INDEX password_reset_expiry ON password_reset (expires_at);

CREATE TABLE address_change (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    email citext NOT NULL CHECK (email LIKE '%_@_%'),
    expires_at utc_time NOT NULL
);

CREATE INDEX address_change_expiry ON address_change (expires_at);

-- Organisations, such as shelters. An organisation is an account without a password, for which its members and keys
-- act.

CREATE TABLE organisation (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    -- That of the account.
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    about text CHECK (length(about) <= 4000),
    website text CHECK (website ILIKE 'https://_%'),
    -- The telephone number, e-mail address and address that everybody sees.
    phone text CHECK (length(phone) <= 40),
    email text CHECK (email LIKE '%_@_%'),
    address text CHECK (length(address) <= 200),
    lon double precision CHECK (lon BETWEEN -180 AND 180),
    lat double precision CHECK (lat BETWEEN -90 AND 90),
    -- When an admin verified who it is; NULL if nobody has.
    verified_at utc_time,
    version bigint NOT NULL DEFAULT 1 CHECK (version > 0),
    created_at utc_time NOT NULL,
    CHECK ((lon IS NULL) = (lat IS NULL))
);

CREATE TABLE organisation_member (
    organisation_id bigint NOT NULL REFERENCES organisation ON DELETE CASCADE,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    role text NOT NULL CHECK (role IN ('manager', 'volunteer')),
    since utc_time NOT NULL,
    PRIMARY KEY (organisation_id, account_id)
);

CREATE INDEX organisation_member_account ON organisation_member (account_id);

-- Whether the address has an account is not looked up before its owner reads the invitation.
CREATE TABLE organisation_invitation (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    organisation_id bigint NOT NULL,
    email citext NOT NULL CHECK (email LIKE '%_@_%'),
    role text NOT NULL CHECK (role IN ('manager', 'volunteer')),
    invited_by bigint NOT NULL,
    created_at utc_time NOT NULL,
    expires_at utc_time NOT NULL,
    UNIQUE (organisation_id, email),
    -- Invitations and keys end when the member who made them leaves.
    FOREIGN KEY (organisation_id, invited_by) REFERENCES organisation_member ON DELETE CASCADE
);

CREATE INDEX organisation_invitation_email ON organisation_invitation (email);
CREATE INDEX organisation_invitation_member ON organisation_invitation (organisation_id, invited_by);
CREATE INDEX organisation_invitation_expiry ON organisation_invitation (expires_at);

CREATE TABLE api_key (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    -- The account that the key acts as.
    account_id bigint NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
    -- The SHA-256 digest of the token.
    token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    -- Names, separated by spaces.
    scopes text NOT NULL CHECK (length(scopes) > 0),
    created_by bigint NOT NULL,
    created_at utc_time NOT NULL,
    expires_at utc_time NOT NULL,
    -- To within ten minutes; NULL before the first use.
    last_used_at utc_time,
    FOREIGN KEY (account_id, created_by) REFERENCES organisation_member ON DELETE CASCADE
);

CREATE INDEX api_key_member ON api_key (account_id, created_by);
CREATE INDEX api_key_expiry ON api_key (expires_at);

-- Listings

CREATE TABLE breed (
    key text PRIMARY KEY,
    name_en text NOT NULL,
    name_it text NOT NULL
);

CREATE TABLE listing (
    id bigint PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    version bigint NOT NULL DEFAULT 1 CHECK (version > 0),
    hidden boolean NOT NULL DEFAULT false,
    status text NOT NULL CHECK (status IN ('lost', 'found', 'sighted', 'reunited', 'closed')),
    species text NOT NULL CHECK (species IN ('dog', 'cat', 'other')),
    breed_key text REFERENCES breed,
    created_at utc_time NOT NULL,
    updated_at utc_time NOT NULL,
    last_seen_at utc_time NOT NULL,
    geom geometry(Point, 4326) NOT NULL,
    approximate boolean NOT NULL,
    name text CHECK (length(name) <= 80),
    breed text CHECK (length(breed) <= 80),
    sex text CHECK (sex IN ('female', 'male')),
    size text CHECK (size IN ('small', 'medium', 'large')),
    colour text CHECK (length(colour) <= 80),
    age text CHECK (length(age) <= 40),
    microchip text CHECK (length(microchip) IN (9, 10, 15)),
    place text CHECK (length(place) <= 120),
    locality text,
    province text,
    province_code text,
    region text,
    country text,
    country_code text CHECK (length(country_code) = 2),
    postal_code text,
    contact_name text CHECK (length(contact_name) <= 120),
    contact_name_public boolean NOT NULL DEFAULT false,
    contact_phone text CHECK (length(contact_phone) <= 40),
    contact_phone_public boolean NOT NULL DEFAULT false,
    contact_email text CHECK (length(contact_email) <= 254),
    contact_email_public boolean NOT NULL DEFAULT false,
    reference text CHECK (length(reference) <= 80),
    marks text CHECK (length(marks) <= 500),
    description text CHECK (length(description) <= 4000),
    place_names text NOT NULL DEFAULT '[]' CHECK (json_valid(place_names)),
    photos text NOT NULL DEFAULT '[]' CHECK (json_valid(photos)),
    breed_predicted boolean NOT NULL DEFAULT false,
    exact_lon double precision CHECK (exact_lon BETWEEN -180 AND 180),
    exact_lat double precision
        CHECK (exact_lat BETWEEN -90 AND 90 AND (exact_lat IS NULL) = (exact_lon IS NULL)
            AND approximate >= (exact_lat IS NOT NULL)),
    secret_mark text CHECK (length(secret_mark) <= 200),
    collar text CHECK (length(collar) <= 200),
    reward text CHECK (length(reward) <= 120),
    UNIQUE (account_id, reference)
);

CREATE INDEX listing_account ON listing (account_id);
CREATE INDEX listing_archive_seen ON listing (last_seen_at) WHERE status IN ('reunited', 'closed') AND NOT hidden;
CREATE INDEX listing_reunited ON listing (updated_at) WHERE status = 'reunited' AND NOT hidden;
CREATE INDEX listing_microchip ON listing (microchip, hidden, status) WHERE microchip IS NOT NULL;

CREATE TABLE listing_renewal (
    listing_id bigint PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    is_open boolean NOT NULL,
    -- When its owner last wrote it, by the clock of this service.
    renewed_at text NOT NULL,
    -- When its owner was told that it ends soon.
    warned_at text,
    -- What it was when it ended; NULL where it stands or where its owner closed it.
    expired_from text CHECK (expired_from IN ('lost', 'found', 'sighted'))
);

CREATE INDEX listing_renewal_due ON listing_renewal (warned_at, renewed_at) WHERE is_open;

-- What happened to a listing after it was posted. A row for each new listing is not needed: its first status is the
-- `former` one of the first change, or else the present one.
CREATE TABLE listing_history (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    listing_id bigint NOT NULL REFERENCES listing ON DELETE CASCADE,
    at text NOT NULL DEFAULT utc_now(),
    type text NOT NULL CHECK (type IN ('status', 'expired', 'renewed', 'moved')),
    -- The status before and after a change of it. `former` is NULL for changes from MIG.
    former text CHECK (former IN ('lost', 'found', 'sighted', 'reunited', 'closed')),
    status text CHECK (status IN ('lost', 'found', 'sighted', 'reunited', 'closed')),
    CHECK ((status IS NULL) = (type IN ('renewed', 'moved')) AND (former IS NULL OR status IS NOT NULL))
);

CREATE INDEX listing_history_listing ON listing_history (listing_id);

-- What searches read. Triggers write it from views

-- The Earth is divided into cells: level n has 2^n columns of longitude and 2^n rows of latitude. The zone of a point
-- is its cell of level 14 with interleaved column and row bits (Morton, 1966), so that a cell of any level is one
-- range of zones.
CREATE TABLE cell_level (
    level bigint PRIMARY KEY,
    -- What takes the zone to the cell within its level.
    shift integer NOT NULL
);

-- The public listings that searches cover.
CREATE TABLE board (
    id bigint PRIMARY KEY,
    geom geometry(Point, 4326) NOT NULL,
    lon double precision NOT NULL,
    lat double precision NOT NULL,
    zone bigint NOT NULL,
    status text NOT NULL CHECK (status IN ('lost', 'found', 'sighted')),
    species text NOT NULL,
    last_seen_at text NOT NULL,
    feature text NOT NULL
);

CREATE INDEX board_seen ON board (last_seen_at, status, species, lon, lat);
CREATE INDEX board_geom ON board USING gist (geom);

-- The listings of each cell in order of time. Triggers maintain the table; a foreign key would require an additional
-- index.
CREATE TABLE board_cell (
    cell bigint NOT NULL,
    status text NOT NULL,
    id bigint NOT NULL,
    species text NOT NULL,
    lon double precision NOT NULL,
    lat double precision NOT NULL,
    PRIMARY KEY (cell, status, id)
);

-- The number of listings in each cell, and the sums of their coordinates in units of 1e-7 degrees; integer sums do not
-- drift.
CREATE TABLE board_count (
    cell bigint NOT NULL,
    status text NOT NULL,
    species text NOT NULL,
    listings bigint NOT NULL CHECK (listings >= 0),
    lon_sum bigint NOT NULL,
    lat_sum bigint NOT NULL,
    PRIMARY KEY (cell, status, species)
);

-- The criteria that narrow a search: a breed, a species or a place, each combined with a status. Each name is stored
-- once.
CREATE TABLE facet (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE
);

CREATE TABLE listing_facet (
    facet_id bigint NOT NULL REFERENCES facet,
    zone bigint NOT NULL,
    listing_id bigint NOT NULL,
    lon double precision NOT NULL,
    lat double precision NOT NULL,
    PRIMARY KEY (facet_id, zone, listing_id)
);

CREATE INDEX listing_facet_time ON listing_facet (facet_id, listing_id);

-- Matches of lost with found and sighted animals

-- Triggers maintain the table; a foreign key would require an additional index.
CREATE TABLE match_candidate (
    side bigint NOT NULL,
    cell bigint NOT NULL,
    listing_id bigint NOT NULL,
    day bigint NOT NULL,
    lon double precision NOT NULL,
    lat double precision NOT NULL,
    blur bigint NOT NULL,
    -- What the texts of the listing say, which the program reads after the change; NULL until then.
    subject bytea,
    PRIMARY KEY (side, cell, listing_id)
);

CREATE INDEX match_candidate_unread ON match_candidate (listing_id) WHERE subject IS NULL;

-- What the owners of two listings say about whether these are of the same animal.
CREATE TABLE match_answer (
    lost_id bigint NOT NULL REFERENCES listing ON DELETE CASCADE,
    found_id bigint NOT NULL REFERENCES listing ON DELETE CASCADE,
    lost_answer text CHECK (lost_answer IN ('yes', 'no', 'unsure')),
    lost_answered_at text,
    found_answer text CHECK (found_answer IN ('yes', 'no', 'unsure')),
    found_answered_at text,
    -- The status of the second listing before both answers were yes, which made both listings reunited.
    found_status text CHECK (found_status IN ('found', 'sighted')),
    linked_at text,
    PRIMARY KEY (lost_id, found_id),
    CHECK (coalesce(lost_answer, found_answer) IS NOT NULL),
    CHECK ((lost_answer IS NULL) = (lost_answered_at IS NULL)),
    CHECK ((found_answer IS NULL) = (found_answered_at IS NULL)),
    CHECK ((found_status IS NULL) = (linked_at IS NULL)),
    CHECK (linked_at IS NULL OR (lost_answer = 'yes' AND found_answer = 'yes'))
);

CREATE INDEX match_answer_found ON match_answer (found_id);
CREATE INDEX match_answer_linked ON match_answer (linked_at) WHERE linked_at IS NOT NULL;

-- Sightings and tracks

CREATE TABLE sighting (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    listing_id bigint NOT NULL REFERENCES listing ON DELETE CASCADE,
    -- The owner of the listing, kept by a trigger, so that the sightings that wait for one account are found by an
    -- index.
    owner_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    -- The account that reported the sighting, or the owner who attached a listing.
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    -- The listing of this sighting, if the owner of the lost animal has attached one.
    attached_id bigint REFERENCES listing ON DELETE CASCADE,
    lon double precision NOT NULL CHECK (lon BETWEEN -180 AND 180),
    lat double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    -- Whether the point is only the centre of a cell or of a town.
    approximate boolean NOT NULL,
    -- The town, looked up for the centre of the cell around the point.
    place text CHECK (length(place) <= 300),
    seen_at utc_time NOT NULL,
    text text CHECK (length(text) BETWEEN 1 AND 1000),
    contact_phone text CHECK (length(contact_phone) <= 40),
    state text NOT NULL CHECK (state IN ('proposed', 'confirmed', 'dismissed')),
    -- False if the owner had blocked the author: then only the author sees it.
    is_delivered boolean NOT NULL,
    created_at text NOT NULL DEFAULT utc_now(),
    UNIQUE (listing_id, attached_id),
    CHECK (is_delivered OR state = 'proposed'),
    CHECK (attached_id IS NULL OR account_id = owner_id AND text IS NULL AND contact_phone IS NULL)
);

CREATE INDEX sighting_listing ON sighting (listing_id, seen_at);
CREATE INDEX sighting_account ON sighting (account_id);
CREATE INDEX sighting_owner ON sighting (owner_id);
CREATE INDEX sighting_attached ON sighting (attached_id) WHERE attached_id IS NOT NULL;
CREATE INDEX sighting_waiting ON sighting (owner_id, listing_id) WHERE state = 'proposed' AND is_delivered;

CREATE TABLE track (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    listing_id bigint NOT NULL REFERENCES listing ON DELETE CASCADE,
    number bigint NOT NULL CHECK (number BETWEEN 1 AND 20),
    kind text NOT NULL CHECK (kind IN ('collar', 'search_party')),
    name text CHECK (length(name) BETWEEN 1 AND 100),
    -- What the owner calls the device that sends the points; NULL for a track from a file.
    device text CHECK (length(device) BETWEEN 1 AND 64),
    visibility text NOT NULL CHECK (visibility IN ('owner', 'everyone')),
    -- The SHA-256 digest of the token of the device.
    token_hash bytea UNIQUE CHECK (length(token_hash) = 32),
    opened_at utc_time NOT NULL,
    -- NULL while the device may send points.
    closed_at utc_time,
    version bigint NOT NULL DEFAULT 1 CHECK (version > 0),
    UNIQUE (listing_id, number),
    CHECK (device IS NOT NULL OR closed_at IS NOT NULL AND token_hash IS NULL)
);

CREATE INDEX track_open ON track (device) WHERE closed_at IS NULL;

CREATE TABLE track_point (
    track_id bigint NOT NULL REFERENCES track ON DELETE CASCADE,
    -- The number of the line in the file; 0 for what a device sent.
    segment bigint NOT NULL CHECK (segment >= 0),
    -- Milliseconds since 1970 in UTC, or the number of the point in a line without times.
    position bigint NOT NULL,
    is_timed boolean NOT NULL,
    lon double precision NOT NULL CHECK (lon BETWEEN -180 AND 180),
    lat double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    PRIMARY KEY (track_id, segment, position)
);

-- Messages

-- A conversation between one writer and the owner of a listing. A guest who logs in may bring a second conversation
-- about the same listing.
CREATE TABLE conversation (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    listing_id bigint NOT NULL REFERENCES listing ON DELETE CASCADE,
    writer_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    created_at text NOT NULL DEFAULT utc_now()
);

CREATE INDEX conversation_listing ON conversation (listing_id, writer_id);
CREATE INDEX conversation_writer ON conversation (writer_id);

CREATE TABLE message (
    -- In order of time, and never used again: a page of an inbox begins at one.
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    conversation_id bigint NOT NULL REFERENCES conversation ON DELETE CASCADE,
    -- Whether the owner of the listing wrote it.
    is_owners boolean NOT NULL,
    text text NOT NULL CHECK (length(text) BETWEEN 1 AND 4000),
    contact_name text CHECK (length(contact_name) <= 120),
    contact_phone text CHECK (length(contact_phone) <= 40),
    contact_email text CHECK (length(contact_email) <= 254),
    -- What the writer says of the secret mark, and whether it was that, which is for the owner's eyes alone.
    mark text CHECK (length(mark) <= 200),
    mark_matches boolean,
    -- False if its reader had blocked the sender.
    is_delivered boolean NOT NULL,
    created_at text NOT NULL DEFAULT utc_now(),
    lon double precision CHECK (lon BETWEEN -180 AND 180),
    lat double precision CHECK (lat BETWEEN -90 AND 90 AND lon IS NOT NULL OR lat IS NULL AND lon IS NULL),
    place text CHECK (place IS NULL OR length(place) <= 300 AND lat IS NOT NULL),
    CHECK (mark IS NULL OR NOT is_owners),
    CHECK (mark_matches IS NULL OR mark IS NOT NULL)
);

CREATE INDEX message_conversation ON message (conversation_id);
CREATE INDEX message_mark ON message (conversation_id) WHERE mark IS NOT NULL;

-- The state of a conversation for each of the two parties, maintained by triggers.
CREATE TABLE conversation_party (
    conversation_id bigint NOT NULL REFERENCES conversation ON DELETE CASCADE,
    is_owner boolean NOT NULL,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    listing_id bigint NOT NULL,
    -- As they called themselves last, where the other one could read it.
    name text,
    -- The last message they see; 0 where they see none.
    last_id bigint NOT NULL DEFAULT 0,
    -- Messages up to this one they have deleted.
    cleared_id bigint NOT NULL DEFAULT 0,
    unread bigint NOT NULL DEFAULT 0 CHECK (unread >= 0),
    PRIMARY KEY (conversation_id, is_owner)
);

CREATE INDEX conversation_party_inbox ON conversation_party (account_id, last_id);
CREATE INDEX conversation_party_listing ON conversation_party (listing_id, account_id, last_id);
CREATE INDEX conversation_party_unread ON conversation_party (account_id) WHERE unread > 0;

CREATE TABLE block (
    blocker_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    blocked_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    -- What the listing was called that they wrote about: who blocked knows them by it, though conversation and listing
    -- go.
    about text,
    created_at text NOT NULL DEFAULT utc_now(),
    PRIMARY KEY (blocker_id, blocked_id),
    CHECK (blocker_id <> blocked_id)
);

CREATE INDEX block_blocked ON block (blocked_id);

-- Photos

CREATE TABLE photo (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE,
    -- Exactly one of the four that a photo belongs to.
    listing_id bigint REFERENCES listing ON DELETE CASCADE,
    -- Its place among those of the listing.
    number bigint CHECK (number BETWEEN 1 AND 6),
    account_id bigint UNIQUE REFERENCES account ON DELETE CASCADE,
    sighting_id bigint UNIQUE REFERENCES sighting ON DELETE CASCADE,
    message_id bigint UNIQUE REFERENCES message ON DELETE CASCADE,
    -- The largest size has this width and height in pixels.
    width bigint NOT NULL CHECK (width > 0),
    height bigint NOT NULL CHECK (height > 0),
    created_at text NOT NULL DEFAULT utc_now(),
    UNIQUE (listing_id, number),
    CHECK ((listing_id IS NULL) = (number IS NULL)),
    CHECK (num_nonnulls(listing_id, account_id, sighting_id, message_id) = 1)
);

-- Files that may exist without a row: those about to be written, and those of deleted rows. Every file has either a
-- row in `photo` or a row here at any time, so that a crash leaves no untracked file.
CREATE TABLE photo_leftover (
    uuid text PRIMARY KEY,
    removable_at text NOT NULL
);

CREATE INDEX photo_leftover_removable ON photo_leftover (removable_at);

-- Classifications of photos by a model.
CREATE TABLE classification (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE,
    -- Nil for a photo that was only asked about: such a row goes after a day.
    photo_id bigint UNIQUE REFERENCES photo ON DELETE CASCADE,
    model text NOT NULL,
    model_version text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('accepted', 'low_confidence', 'not_the_subject')),
    -- A JSON object: each label and its probability.
    predictions text NOT NULL CHECK (json_valid(predictions)),
    created_at text NOT NULL DEFAULT utc_now()
);

CREATE INDEX classification_asked ON classification (created_at) WHERE photo_id IS NULL;

-- Places of help, and places that an operator imports

CREATE TABLE poi_source (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    imports bigint NOT NULL DEFAULT 1,
    imported_at text NOT NULL DEFAULT utc_now()
);

CREATE TABLE poi (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    -- 'node/123' for what OpenStreetMap numbers; for the rest the source's name and a digest of what the place is.
    ref text NOT NULL UNIQUE,
    source_id bigint NOT NULL REFERENCES poi_source ON DELETE CASCADE,
    -- The source's count of imports when it was last in the file: lower means vanished.
    seen bigint NOT NULL,
    category text NOT NULL
        CHECK (category IN ('veterinary', 'pet_shop', 'animal_shelter', 'animal_boarding', 'grooming', 'dog_park')),
    geom geometry(Point, 4326) NOT NULL,
    element_type text CHECK (element_type IN ('node', 'way', 'relation')),
    element_id bigint,
    name text,
    street text,
    house_number text,
    postal_code text,
    city text,
    phone text,
    website text,
    opening_hours text,
    CHECK ((element_type IS NULL) = (element_id IS NULL))
);

CREATE INDEX poi_source_seen ON poi (source_id, seen);
CREATE INDEX poi_geom ON poi USING gist (geom);

-- An imported file. All of its places take effect together when it goes live. A file that is not live is being read,
-- was abandoned during the import, or waits to be removed.
CREATE TABLE place_source (
    -- Never used again: an import that was taken for dead must not find another's.
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    name text NOT NULL CHECK (name <> ''),
    kind text NOT NULL CHECK (kind IN ('boundaries', 'settlements', 'postal_codes')),
    is_live boolean NOT NULL DEFAULT false,
    places bigint NOT NULL DEFAULT 0 CHECK (places >= 0),
    imported_at text NOT NULL DEFAULT utc_now()
);

CREATE UNIQUE INDEX place_source_live ON place_source (name) WHERE is_live;

CREATE TABLE place (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    source_id bigint NOT NULL REFERENCES place_source ON DELETE CASCADE,
    -- Only settlements have it, so that the search for the nearest one reads no other places.
    geom geometry(Point, 4326),
    -- A boundary has a point inside it here.
    lon double precision NOT NULL CHECK (lon BETWEEN -180 AND 180),
    lat double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    level text NOT NULL
        CHECK (level IN ('country', 'region', 'province', 'comune', 'locality', 'settlement', 'postal_code')),
    name text NOT NULL CHECK (name <> ''),
    -- Folded, as searches fold what people type.
    name_key text NOT NULL,
    -- All its names, folded.
    names text NOT NULL,
    population bigint CHECK (population >= 0),
    locality text,
    comune text,
    comune_code text,
    province text,
    province_code text,
    region text,
    country_code text CHECK (length(country_code) = 2),
    postal_code text,
    CHECK ((geom IS NOT NULL) = (level = 'settlement'))
);

CREATE INDEX place_of_source ON place (source_id);
CREATE INDEX place_name ON place (name_key);
CREATE INDEX place_postal_code ON place (postal_code) WHERE postal_code IS NOT NULL;
CREATE INDEX place_geom ON place USING gist (geom);

-- The area of a boundary in pieces of a few hundred corners, so that no look-up reads a long coastline.
CREATE TABLE place_area (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    place_id bigint NOT NULL REFERENCES place ON DELETE CASCADE,
    geom geometry(Polygon, 4326) NOT NULL
);

CREATE INDEX place_area_of_place ON place_area (place_id);
CREATE INDEX place_area_geom ON place_area USING gist (geom);

-- All words of names, for correcting misspelt ones. A word may outlive the last place with that name.
CREATE TABLE place_word (
    word text PRIMARY KEY
);

-- Moderation

-- A reported subject; one case for each time that moderators have to decide. Further reports join an open case.
CREATE TABLE report_case (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    subject text NOT NULL CHECK (subject IN ('listing', 'photo', 'message', 'sighting')),
    subject_uuid text NOT NULL CHECK (length(subject_uuid) = 36),
    -- The account that owns the subject.
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    -- What a message or sighting said: moderators see it though it is deleted.
    evidence text CHECK (length(evidence) <= 4000),
    -- The listing, or that of the photo, as long as there is one.
    listing_id bigint REFERENCES listing ON DELETE SET NULL,
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'dismissed', 'upheld')),
    -- How many, kept by a trigger.
    reports bigint NOT NULL DEFAULT 0,
    -- And how many of those by accounts that were registered.
    registered bigint NOT NULL DEFAULT 0,
    reported_at text NOT NULL,
    last_reported_at text NOT NULL,
    decided_at text,
    CHECK ((status = 'open') = (decided_at IS NULL))
);

CREATE UNIQUE INDEX report_case_open ON report_case (subject_uuid, subject) WHERE status = 'open';
CREATE INDEX report_case_subject ON report_case (subject_uuid, subject);
CREATE INDEX report_case_status ON report_case (status);
CREATE INDEX report_case_most ON report_case (status, reports DESC);
CREATE INDEX report_case_decided ON report_case (decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX report_case_account ON report_case (account_id);
CREATE INDEX report_case_listing ON report_case (listing_id);

CREATE TABLE report (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    case_id bigint NOT NULL REFERENCES report_case ON DELETE CASCADE,
    -- The account that reported, which no output names; NULL after its deletion.
    account_id bigint REFERENCES account ON DELETE SET NULL,
    reason text NOT NULL CHECK (reason IN ('scam', 'spam', 'abuse', 'privacy', 'wrong', 'other', 'appeal')),
    text text CHECK (length(text) <= 1000),
    created_at text NOT NULL,
    UNIQUE (case_id, account_id)
);

CREATE INDEX report_case_id ON report (case_id);
CREATE INDEX report_account ON report (account_id);

-- The number of reports in a case for each reason.
CREATE TABLE report_reason (
    case_id bigint NOT NULL REFERENCES report_case ON DELETE CASCADE,
    reason text NOT NULL,
    reports bigint NOT NULL,
    PRIMARY KEY (case_id, reason)
);

-- Listings that moderators hid because of their content. `listing.hidden` is the effective state: it is set for these
-- and for all listings of banned accounts. Triggers maintain it.
CREATE TABLE listing_hiding (
    listing_id bigint PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    reason text NOT NULL CHECK (reason IN ('scam', 'spam', 'abuse', 'privacy', 'wrong', 'other')),
    hidden_at text NOT NULL DEFAULT utc_now()
);

CREATE TABLE ban (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    reason text NOT NULL CHECK (reason IN ('scam', 'spam', 'abuse', 'privacy', 'wrong', 'other')),
    -- NULL is for good.
    until text,
    banned_at text NOT NULL DEFAULT utc_now()
);

CREATE INDEX ban_until ON ban (until) WHERE until IS NOT NULL;

-- The audit log of admin actions. Each entry contains the digest of the previous one, so that changes and omissions
-- can be detected. The table has no foreign keys, because entries outlive the rows they refer to.
CREATE TABLE audit (
    id bigint PRIMARY KEY,
    at text NOT NULL,
    -- The UUID of an account, or `command-line:` and the name of the system's user, or `service`.
    actor text NOT NULL,
    action text NOT NULL,
    -- A UUID, or the name of a source.
    subject text,
    note text,
    previous bytea NOT NULL CHECK (length(previous) = 32),
    -- SHA-256 of all of the above.
    digest bytea NOT NULL CHECK (length(digest) = 32)
);

CREATE INDEX audit_actor ON audit (actor);
CREATE INDEX audit_action ON audit (action);
CREATE INDEX audit_subject ON audit (subject) WHERE subject IS NOT NULL;

-- Events in order, written by triggers so that no change is missed. The live stream and the audit read them. The table
-- has no foreign keys, because events outlive the rows they refer to.
CREATE TABLE event (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    at text NOT NULL DEFAULT utc_now(),
    type text NOT NULL
        CHECK (type IN (
            'account.created', 'account.updated', 'account.removed',
            'listing.created', 'listing.updated', 'listing.removed', 'poi.imported')),
    subject text NOT NULL
);

-- Mails, alerts, notifications and channels

-- Mails that are not sent yet. A row is deleted when the mail server has accepted the mail, or when the mail is given
-- up.
CREATE TABLE outgoing_mail (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    -- That of the Message-ID, the same for each attempt.
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    -- No second mail with this key is stored while this one waits.
    key text UNIQUE CHECK (length(key) BETWEEN 1 AND 200),
    -- The account to which the mail belongs; NULL if it belongs to none.
    account_id bigint REFERENCES account ON DELETE CASCADE,
    recipient text NOT NULL CHECK (recipient LIKE '%_@_%'),
    -- That of the recipient, in lower case.
    domain text NOT NULL CHECK (length(domain) > 0),
    subject text NOT NULL,
    text text NOT NULL,
    html text,
    picture bytea CHECK (length(picture) <= 102400),
    -- Like 'image/png'.
    picture_type text,
    -- How the HTML part refers to the picture.
    picture_id text,
    language text NOT NULL CHECK (language IN ('en', 'it')),
    -- The https URL of List-Unsubscribe.
    unsubscribe text CHECK (unsubscribe ILIKE 'https://_%'),
    -- Whether the mail waits until all others are sent.
    bulk boolean NOT NULL DEFAULT false,
    created_at utc_time NOT NULL,
    attempts bigint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at utc_time NOT NULL,
    expires_at utc_time NOT NULL,
    CHECK (picture IS NULL OR html IS NOT NULL),
    CHECK ((picture IS NULL) = (picture_type IS NULL) AND (picture IS NULL) = (picture_id IS NULL))
);

CREATE INDEX outgoing_mail_turn ON outgoing_mail (bulk, expires_at, id, next_attempt_at, domain);
CREATE INDEX outgoing_mail_attempt ON outgoing_mail (next_attempt_at);
CREATE INDEX outgoing_mail_account ON outgoing_mail (account_id);
CREATE INDEX outgoing_mail_expiry ON outgoing_mail (expires_at);

CREATE TABLE alert (
    -- Keys are never used again, because a fan-out remembers the last one that it has compared.
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    name text CHECK (length(name) BETWEEN 1 AND 80),
    -- The parameters of the search of listings, as an object of texts.
    search text CHECK (search IS NULL OR json_valid(search)),
    -- The listing of the same account whose possible matches the alert tells.
    listing_id bigint UNIQUE REFERENCES listing ON DELETE CASCADE,
    min_probability double precision CHECK (min_probability BETWEEN 0.02 AND 1),
    paused boolean NOT NULL DEFAULT false,
    version bigint NOT NULL DEFAULT 1 CHECK (version > 0),
    created_at utc_time NOT NULL,
    updated_at utc_time NOT NULL,
    CHECK ((search IS NULL) <> (listing_id IS NULL) AND (listing_id IS NULL) = (min_probability IS NULL))
);

CREATE INDEX alert_account ON alert (account_id);

-- The listings that an alert has found, each once for each status.
CREATE TABLE alert_listing (
    alert_id bigint NOT NULL REFERENCES alert ON DELETE CASCADE,
    listing_id bigint NOT NULL REFERENCES listing ON DELETE CASCADE,
    status text NOT NULL CHECK (status IN ('lost', 'found', 'sighted')),
    -- That of a match.
    probability double precision CHECK (probability BETWEEN 0 AND 1),
    found_at utc_time NOT NULL,
    PRIMARY KEY (alert_id, listing_id)
);

CREATE INDEX alert_listing_listing ON alert_listing (listing_id);

-- The listings that are still to be compared with alerts. Those with the fewest turns come first, so that one with
-- many readers does not delay others.
CREATE TABLE alert_fan_out (
    listing_id bigint PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    turn bigint NOT NULL DEFAULT 0 CHECK (turn >= 0),
    -- The alerts up to this one have been compared.
    last_alert_id bigint NOT NULL DEFAULT 0,
    -- Alerts that are created later do not find the listing.
    noted_at text NOT NULL DEFAULT utc_now()
);

CREATE INDEX alert_fan_out_turn ON alert_fan_out (turn, listing_id DESC);

-- How an account wants to be told; an account without a row has the defaults.
CREATE TABLE notification_settings (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    email boolean NOT NULL DEFAULT true,
    frequency text NOT NULL DEFAULT 'at_once' CHECK (frequency IN ('at_once', 'daily')),
    -- The local hour of the summary.
    summary_hour bigint NOT NULL DEFAULT 8 CHECK (summary_hour BETWEEN 7 AND 21),
    -- Whether very likely matches are told at once, also at night.
    likely_at_once boolean NOT NULL DEFAULT true,
    -- In the links that end the mails. It allows nothing else.
    unsubscribe_token text NOT NULL UNIQUE DEFAULT replace(gen_random_uuid()::text, '-', '')
        CHECK (length(unsubscribe_token) = 32),
    -- The last local day on which the reader was told at once, and how often.
    told_on text CHECK (told_on LIKE '____-__-__'),
    told bigint NOT NULL DEFAULT 0 CHECK (told >= 0)
);

-- What is still to be told. A row is deleted in the transaction that stores the mail.
CREATE TABLE notification (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    listing_id bigint NOT NULL REFERENCES listing ON DELETE CASCADE,
    -- The reason why the reader is told.
    alert_id bigint NOT NULL REFERENCES alert ON DELETE CASCADE,
    probability double precision CHECK (probability BETWEEN 0 AND 1),
    -- Whether it waits for the reader's next summary.
    in_summary boolean NOT NULL,
    -- How many batches of readers of the listing come before. The lowest come first, so that a listing with many
    -- readers does not delay another.
    turn bigint NOT NULL CHECK (turn >= 0),
    -- When the listing was posted, or its status changed.
    noted_at utc_time NOT NULL,
    UNIQUE (account_id, listing_id)
);

CREATE INDEX notification_turn ON notification (turn, listing_id DESC, id) WHERE NOT in_summary;
CREATE INDEX notification_listing ON notification (listing_id);
CREATE INDEX notification_alert ON notification (alert_id);

-- The time of the next summary of an account.
CREATE TABLE notification_summary (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    due_at utc_time NOT NULL
);

CREATE INDEX notification_summary_due ON notification_summary (due_at);

CREATE TABLE push_subscription (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    -- A browser that is signed out gets nothing.
    session_hash bytea NOT NULL REFERENCES session ON DELETE CASCADE,
    endpoint text NOT NULL UNIQUE CHECK (endpoint ILIKE 'https://_%'),
    -- That of the endpoint.
    host text NOT NULL CHECK (length(host) > 0),
    -- The keys of the browser in base64url.
    p256dh text NOT NULL,
    auth text NOT NULL,
    language text NOT NULL CHECK (language IN ('en', 'it')),
    created_at utc_time NOT NULL,
    -- The first failure since the last message that was accepted.
    failing_since utc_time
);

CREATE INDEX push_subscription_account ON push_subscription (account_id);
CREATE INDEX push_subscription_session ON push_subscription (session_hash);

CREATE TABLE webhook (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    url text NOT NULL CHECK (url ILIKE 'https://_%'),
    host text NOT NULL CHECK (length(host) > 0),
    -- As the receiver has it, because signatures need it.
    secret text NOT NULL CHECK (secret ILIKE 'whsec_%'),
    previous_secret text CHECK (previous_secret ILIKE 'whsec_%'),
    -- Until then, messages are signed with the previous secret too.
    previous_until utc_time,
    created_at utc_time NOT NULL,
    failing_since utc_time,
    disabled_at utc_time,
    -- What became of the last attempt.
    last_outcome text CHECK (last_outcome IN ('delivered', 'refused', 'gone', 'timed_out', 'unreachable', 'untrusted')),
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
);

CREATE INDEX webhook_account ON webhook (account_id);

-- Messages that are not delivered yet. A row is deleted when the receiver has taken it, or when it is given up.
CREATE TABLE outgoing_event (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    -- The webhook-id, the same for each attempt.
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    push_subscription_id bigint REFERENCES push_subscription ON DELETE CASCADE,
    webhook_id bigint REFERENCES webhook ON DELETE CASCADE,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    -- That of the receiver.
    host text NOT NULL CHECK (length(host) > 0),
    -- Like 'alert.listing'.
    type text NOT NULL CHECK (length(type) BETWEEN 1 AND 60),
    -- No second message with this key waits for the same receiver.
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    payload text NOT NULL CHECK (json_valid(payload) AND length(payload) <= 16384),
    urgency text NOT NULL CHECK (urgency IN ('very-low', 'low', 'normal', 'high')),
    created_at utc_time NOT NULL,
    -- Messages with a lower turn are sent first, so that a listing with many readers does not delay another.
    turn bigint NOT NULL DEFAULT 0 CHECK (turn >= 0),
    attempts bigint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at utc_time NOT NULL,
    expires_at utc_time NOT NULL,
    CHECK ((push_subscription_id IS NULL) <> (webhook_id IS NULL)),
    UNIQUE (push_subscription_id, key),
    UNIQUE (webhook_id, key)
);

CREATE INDEX outgoing_event_turn ON outgoing_event (host, turn, next_attempt_at, id, webhook_id);
CREATE INDEX outgoing_event_due ON outgoing_event (host, next_attempt_at);
CREATE INDEX outgoing_event_fresh ON outgoing_event (host) WHERE attempts = 0 AND push_subscription_id IS NOT NULL;
CREATE INDEX outgoing_event_account ON outgoing_event (account_id, id);
CREATE INDEX outgoing_event_expiry ON outgoing_event (expires_at);
CREATE INDEX outgoing_event_time ON outgoing_event (next_attempt_at);

-- Imports of listings over HTTP

CREATE TABLE listing_import (
    -- Keys are never used again, because listings remember the import that made them.
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    -- Separates several imports of one account.
    source text NOT NULL CHECK (length(source) BETWEEN 1 AND 40),
    mapping text NOT NULL,
    file_name text,
    language text NOT NULL,
    dry_run boolean NOT NULL,
    -- Whether listings that are not in the file any more are closed.
    close_missing text NOT NULL CHECK (close_missing IN ('no', 'yes', 'all')),
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
    -- Why it failed.
    problem text CHECK ((problem IS NOT NULL) = (state = 'failed')),
    -- The columns that are not understood, as an array.
    unknown_columns text NOT NULL DEFAULT '[]' CHECK (json_valid(unknown_columns)),
    -- The rows of the file, when they were counted.
    row_total bigint CHECK (row_total >= 0),
    -- The rows that were processed, from the first one on.
    row_position bigint NOT NULL DEFAULT 0 CHECK (row_position >= 0),
    created_count bigint NOT NULL DEFAULT 0,
    updated_count bigint NOT NULL DEFAULT 0,
    unchanged_count bigint NOT NULL DEFAULT 0,
    closed_count bigint NOT NULL DEFAULT 0,
    rejected_count bigint NOT NULL DEFAULT 0,
    -- How many batches were processed, so that accounts take turns.
    turn bigint NOT NULL DEFAULT 0,
    created_at utc_time NOT NULL,
    started_at utc_time,
    ended_at utc_time,
    CHECK ((ended_at IS NOT NULL) = (state IN ('done', 'failed', 'cancelled')))
);

CREATE INDEX listing_import_account ON listing_import (account_id);
CREATE INDEX listing_import_unfinished ON listing_import (turn, id) WHERE state IN ('waiting', 'running');

-- What became of each row. Listings that were closed because they are missing have numbers above those of rows.
CREATE TABLE listing_import_row (
    import_id bigint NOT NULL REFERENCES listing_import ON DELETE CASCADE,
    number bigint NOT NULL CHECK (number > 0),
    reference text,
    outcome text NOT NULL CHECK (outcome IN ('created', 'updated', 'unchanged', 'closed', 'rejected')),
    listing_uuid text,
    field text,
    -- The name that the file has for the field.
    column_name text,
    message text,
    PRIMARY KEY (import_id, number)
);

-- What identifies the rows that an unfinished import has processed: the reference, the id or a digest.
CREATE TABLE listing_import_key (
    import_id bigint NOT NULL REFERENCES listing_import ON DELETE CASCADE,
    row_key text NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (import_id, row_key)
);

-- The listings that imports made or changed.
CREATE TABLE imported_listing (
    listing_id bigint PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    source text NOT NULL,
    row_key text NOT NULL,
    -- The digest of the row that was read last. NULL makes the next import write the row even if it is the same.
    digest bytea,
    -- The import that made the listing. The row of the import may be deleted.
    first_import_id bigint NOT NULL,
    UNIQUE (account_id, source, row_key)
);

-- Files at addresses that are imported at intervals.
CREATE TABLE import_feed (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid text NOT NULL UNIQUE CHECK (length(uuid) = 36),
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    url text NOT NULL CHECK (url ILIKE 'https://_%'),
    every_hours bigint NOT NULL CHECK (every_hours BETWEEN 1 AND 168),
    source text NOT NULL CHECK (length(source) BETWEEN 1 AND 40),
    mapping text NOT NULL,
    language text NOT NULL,
    close_missing text NOT NULL CHECK (close_missing IN ('no', 'yes', 'all')),
    created_at utc_time NOT NULL,
    next_at utc_time NOT NULL,
    last_at utc_time,
    last_outcome text
        CHECK (last_outcome IN (
            'imported', 'refused', 'too_large', 'timed_out', 'unreachable', 'untrusted', 'busy', 'failed')),
    -- The uuid of the last import, whose report may be deleted.
    last_import text CHECK (length(last_import) = 36),
    UNIQUE (account_id, source)
);

CREATE INDEX import_feed_next ON import_feed (next_at);

-- Text indexes, in place of FTS5.

CREATE TABLE board_text (
    id bigint PRIMARY KEY,
    words tsvector NOT NULL
);

CREATE INDEX board_text_words ON board_text USING gin (words);

CREATE TABLE archive_text (
    id bigint PRIMARY KEY,
    words tsvector NOT NULL
);

CREATE INDEX archive_text_words ON archive_text USING gin (words);

CREATE TABLE place_text (
    id bigint PRIMARY KEY,
    words tsvector NOT NULL
);

CREATE INDEX place_text_words ON place_text USING gin (words);

-- The boxes around the areas of searches, in place of an R*Tree. An alert has the ids 2 * alert.id and, across the
-- antimeridian, 2 * alert.id + 1.
CREATE TABLE alert_area (
    id bigint PRIMARY KEY,
    west double precision NOT NULL,
    east double precision NOT NULL,
    south double precision NOT NULL,
    north double precision NOT NULL,
    CHECK (west <= east AND south <= north)
);

CREATE INDEX alert_area_box ON alert_area USING gist (box(point(west, south), point(east, north)));

INSERT INTO cell_level VALUES (2, 24), (4, 20), (6, 16), (8, 12), (10, 8), (12, 4), (14, 0);

-- Views that define what triggers write.

CREATE VIEW listing_zone AS
    SELECT id, ST_X(geom) AS lon, ST_Y(geom) AS lat, zone_of(ST_X(geom), ST_Y(geom)) AS zone FROM listing;

-- The texts that everybody sees, as members of a JSON object.
CREATE VIEW listing_texts AS
    SELECT id, concat_ws(',', json_member('colour', colour), json_member('age', age), json_member('reward', reward),
        json_member('marks', marks), json_member('collar', collar), json_member('description', description)) AS texts
    FROM listing;

-- The public part of a listing, as a GeoJSON Feature (RFC 7946) without its last two braces, so that a distance can
-- follow. The photos come last, because their addresses are completed when they are written out.
CREATE VIEW listing_feature AS
    SELECT listing.id,
        '{"type":"Feature","id":"' || uuid || '","geometry":{"type":"Point","coordinates":['
        || json_real(ST_X(geom)) || ',' || json_real(ST_Y(geom)) || ']},"properties":{'
        || CASE WHEN secret_mark IS NOT NULL THEN '"asks_for_mark":true,' ELSE '' END
        || concat_ws(',', json_member('status', status), json_member('species', species), json_member('name', name),
            json_member('breed', breed), json_member('breed_key', breed_key),
            json_member('breed_source',
                CASE WHEN breed IS NULL THEN NULL WHEN breed_predicted THEN 'photo' ELSE 'owner' END),
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

-- The listings on the board, which are open and not hidden. The key is that of the listing times 16, plus a code for
-- status and species.
CREATE VIEW listing_on_board AS
    SELECT listing.id AS listing_id,
        listing.id << 4 | CASE status WHEN 'lost' THEN 0 WHEN 'found' THEN 1 ELSE 2 END
            | CASE species WHEN 'dog' THEN 0 WHEN 'cat' THEN 4 ELSE 8 END AS id,
        geom, lon, lat, zone, status, species, last_seen_at, feature
    FROM listing JOIN listing_zone ON listing_zone.id = listing.id
        JOIN listing_feature ON listing_feature.id = listing.id
    WHERE status IN ('lost', 'found', 'sighted') AND NOT hidden;

CREATE VIEW listing_standing AS
    SELECT id, CASE WHEN hidden THEN 'hidden ' ELSE '' END || status AS standing, species, breed_key, place_names
    FROM listing;

CREATE VIEW listing_facet_name AS
    SELECT id AS listing_id, name
    FROM listing_standing CROSS JOIN LATERAL (
        SELECT standing AS name
        UNION ALL
        SELECT standing || ' breed:' || coalesce(breed_key, '') WHERE breed_key IS NOT NULL OR species = 'dog'
        UNION ALL
        SELECT standing || ' species:' || species WHERE species <> 'dog'
        UNION ALL
        SELECT standing || ' place:' || value FROM json_array_elements_text(place_names::json) AS places (value)
    ) AS names;

-- The cells and search criteria of a listing as single words.
CREATE VIEW listing_tags AS
    SELECT listing.id,
        concat_ws(' ',
            (SELECT string_agg('cells' || ((level << 28) | (zone >> shift)), ' ' ORDER BY level) FROM cell_level),
            'facet' || upper(encode(convert_to('breed:' || breed_key, 'UTF8'), 'hex')),
            CASE WHEN species <> 'dog' THEN
                'facet' || upper(encode(convert_to('species:' || species, 'UTF8'), 'hex')) END,
            (SELECT string_agg('facet' || upper(encode(convert_to('place:' || value, 'UTF8'), 'hex')), ' ')
                FROM json_array_elements_text(place_names::json) AS places (value))) AS tags
    FROM listing JOIN listing_zone ON listing_zone.id = listing.id;

-- The words that searches find.
CREATE VIEW listing_words AS
    SELECT id, status IN ('lost', 'found', 'sighted') AND NOT hidden AS is_on_board, name, breed, colour,
        coalesce(marks || ' ' || collar, marks, collar) AS marks, description, place, province
    FROM listing;

CREATE VIEW board_words AS
    SELECT listing_words.id, name, breed, colour, marks, description, place, province, tags
    FROM listing_words JOIN listing_tags ON listing_tags.id = listing_words.id
    WHERE is_on_board;

CREATE VIEW archive_words AS
    SELECT listing_words.id, name, breed, colour, marks, description, place, province, tags
    FROM listing_words JOIN listing_tags ON listing_tags.id = listing_words.id
    WHERE NOT is_on_board;

-- The open listings that are not hidden, as matches need them: which side, species and cell of 0.05 degrees (rows of
-- 7,200 columns) they belong to, and the local day by the Sun, since 1970. `blur` is 0 for an exact point, 1 for the
-- centre of a cell of 500 m and 2 for a town. Rounding of `numeric` is away from zero, as SQLite rounds.
CREATE VIEW listing_match AS
    SELECT id AS listing_id,
        (CASE species WHEN 'dog' THEN 0 WHEN 'cat' THEN 2 ELSE 4 END + (status <> 'lost')::int)::bigint AS side,
        least(3599, trunc((ST_Y(geom) + 90) * 20)::bigint) * 7200
        + least(7199, trunc((ST_X(geom) + 180) * 20)::bigint) AS cell,
        (unix_seconds(last_seen_at) + 240 * round(ST_X(geom)::numeric)::bigint + 62167219200) / 86400 - 719528 AS day,
        ST_X(geom) AS lon, ST_Y(geom) AS lat,
        CASE WHEN NOT approximate THEN 0 WHEN exact_lon IS NOT NULL THEN 1 ELSE 2 END::bigint AS blur
    FROM listing WHERE status IN ('lost', 'found', 'sighted') AND NOT hidden;

CREATE VIEW listing_photos AS
    SELECT listing.id AS listing_id, coalesce((
        SELECT '[' || string_agg(
            '{"number":' || number || ',"width":' || width || ',"height":' || height
            || ',"url":"/photos/' || uuid || '-1600.jpg","medium":"/photos/' || uuid
            || '-800.jpg","thumbnail":"/photos/' || uuid || '-320.jpg"}', ',' ORDER BY number) || ']'
        FROM photo WHERE photo.listing_id = listing.id), '[]') AS photos
    FROM listing;

-- What searches read. Both functions are called while the row is what the indexes contain, or are to contain.

CREATE FUNCTION index_listing(key bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Another transaction may insert the same name meanwhile.
    INSERT INTO facet (name)
    SELECT name FROM listing_facet_name
    WHERE listing_id = key AND NOT EXISTS (SELECT 1 FROM facet WHERE facet.name = listing_facet_name.name)
    ORDER BY name
    ON CONFLICT (name) DO NOTHING;
    INSERT INTO listing_facet (facet_id, zone, listing_id, lon, lat)
    SELECT facet.id, zone, key, lon, lat
    FROM listing_zone CROSS JOIN listing_facet_name JOIN facet ON facet.name = listing_facet_name.name
    WHERE listing_zone.id = key AND listing_facet_name.listing_id = key;
    INSERT INTO board (id, geom, lon, lat, zone, status, species, last_seen_at, feature)
    SELECT id, geom, lon, lat, zone, status, species, last_seen_at, feature
    FROM listing_on_board WHERE listing_id = key;
    INSERT INTO board_text (id, words)
    SELECT id, listing_lexemes(concat_ws(' ', name, colour, marks, description, place, province), breed, tags)
    FROM board_words WHERE id = key;
    INSERT INTO archive_text (id, words)
    SELECT id, listing_lexemes(concat_ws(' ', name, colour, marks, description, place, province), breed, tags)
    FROM archive_words WHERE id = key;
    INSERT INTO match_candidate (side, cell, listing_id, day, lon, lat, blur)
    SELECT side, cell, listing_id, day, lon, lat, blur FROM listing_match WHERE listing_id = key;
END $$;

CREATE FUNCTION unindex_listing(key bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM match_candidate USING listing_match
    WHERE listing_match.listing_id = key AND match_candidate.listing_id = key
        AND match_candidate.side = listing_match.side AND match_candidate.cell = listing_match.cell;
    DELETE FROM archive_text WHERE id = key;
    DELETE FROM board_text WHERE id = key;
    DELETE FROM board WHERE id BETWEEN key << 4 AND (key << 4) | 15;
    DELETE FROM listing_facet
    WHERE listing_id = key AND zone = (SELECT zone FROM listing_zone WHERE id = key)
        AND facet_id IN (
            SELECT facet.id FROM listing_facet_name JOIN facet ON facet.name = listing_facet_name.name
            WHERE listing_facet_name.listing_id = key);
END $$;

-- Triggers. Those of the same table and time run in the order of their names. The errors that they raise have the
-- SQLSTATE 23000, which PostgreSQL itself does not use.

CREATE FUNCTION listing_enters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM index_listing(NEW.id);
    RETURN NULL;
END $$;

CREATE TRIGGER listing_enters AFTER INSERT ON listing FOR EACH ROW EXECUTE FUNCTION listing_enters();

-- Triggers of listings for searches. Those that remove entries run before the change.
CREATE FUNCTION listing_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM unindex_listing(OLD.id);
    RETURN OLD;
END $$;

CREATE TRIGGER listing_leaves BEFORE DELETE ON listing FOR EACH ROW EXECUTE FUNCTION listing_leaves();

CREATE FUNCTION listing_leaves_to_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM unindex_listing(OLD.id);
    RETURN NEW;
END $$;

CREATE TRIGGER listing_leaves_to_change BEFORE UPDATE ON listing FOR EACH ROW
EXECUTE FUNCTION listing_leaves_to_change();

CREATE FUNCTION listing_enters_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM index_listing(NEW.id);
    RETURN NULL;
END $$;

CREATE TRIGGER listing_enters_changed AFTER UPDATE ON listing FOR EACH ROW EXECUTE FUNCTION listing_enters_changed();

-- The counts of small cells are written first, because large cells are what other transactions wait for.
CREATE FUNCTION board_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO board_cell (cell, status, id, species, lon, lat)
    SELECT (level << 28) | (NEW.zone >> shift), NEW.status, NEW.id >> 4, NEW.species, NEW.lon, NEW.lat FROM cell_level;
    INSERT INTO board_count (cell, status, species, listings, lon_sum, lat_sum)
    SELECT (level << 28) | (NEW.zone >> shift), NEW.status, NEW.species, 1, trunc(NEW.lon * 1e7)::bigint,
        trunc(NEW.lat * 1e7)::bigint
    FROM cell_level ORDER BY level DESC
    ON CONFLICT (cell, status, species) DO UPDATE
    SET listings = board_count.listings + 1, lon_sum = board_count.lon_sum + excluded.lon_sum,
        lat_sum = board_count.lat_sum + excluded.lat_sum;
    RETURN NULL;
END $$;

CREATE TRIGGER board_insert AFTER INSERT ON board FOR EACH ROW EXECUTE FUNCTION board_insert();

CREATE FUNCTION board_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM board_cell
    WHERE cell IN (SELECT (level << 28) | (OLD.zone >> shift) FROM cell_level) AND status = OLD.status
        AND id = OLD.id >> 4;
    UPDATE board_count
    SET listings = listings - 1, lon_sum = lon_sum - trunc(OLD.lon * 1e7)::bigint,
        lat_sum = lat_sum - trunc(OLD.lat * 1e7)::bigint
    WHERE cell IN (SELECT (level << 28) | (OLD.zone >> shift) FROM cell_level)
        AND status = OLD.status AND species = OLD.species;
    DELETE FROM board_count
    WHERE cell IN (SELECT (level << 28) | (OLD.zone >> shift) FROM cell_level)
        AND status = OLD.status AND species = OLD.species AND listings = 0;
    RETURN NULL;
END $$;

CREATE TRIGGER board_delete AFTER DELETE ON board FOR EACH ROW EXECUTE FUNCTION board_delete();

CREATE FUNCTION place_text_enters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO place_text (id, words)
    VALUES (NEW.id, array_to_tsvector(array_remove(regexp_split_to_array(NEW.names, '[[:space:][:punct:]]+'), '')));
    RETURN NULL;
END $$;

CREATE TRIGGER place_text_enters AFTER INSERT ON place FOR EACH ROW EXECUTE FUNCTION place_text_enters();

CREATE FUNCTION place_text_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM place_text WHERE id = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER place_text_leaves AFTER DELETE ON place FOR EACH ROW EXECUTE FUNCTION place_text_leaves();

CREATE FUNCTION alert_area_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM alert_area WHERE id IN (2 * OLD.id, 2 * OLD.id + 1);
    RETURN NULL;
END $$;

CREATE TRIGGER alert_area_leaves AFTER DELETE ON alert FOR EACH ROW EXECUTE FUNCTION alert_area_leaves();

-- Events in order, so that no change is missed. The live stream and the audit read them.
CREATE FUNCTION event_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE integrity_constraint_violation USING MESSAGE = 'events are never changed';
END $$;

CREATE TRIGGER event_append_only BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION event_append_only();

CREATE FUNCTION account_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event (type, subject) VALUES ('account.created', NEW.uuid);
    RETURN NULL;
END $$;

CREATE TRIGGER account_created AFTER INSERT ON account FOR EACH ROW EXECUTE FUNCTION account_created();

CREATE FUNCTION account_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event (type, subject) VALUES ('account.updated', NEW.uuid);
    RETURN NULL;
END $$;

CREATE TRIGGER account_updated AFTER UPDATE ON account FOR EACH ROW EXECUTE FUNCTION account_updated();

CREATE FUNCTION account_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event (type, subject) VALUES ('account.removed', OLD.uuid);
    RETURN NULL;
END $$;

CREATE TRIGGER account_removed AFTER DELETE ON account FOR EACH ROW EXECUTE FUNCTION account_removed();

CREATE FUNCTION listing_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event (type, subject) VALUES ('listing.created', NEW.uuid);
    RETURN NULL;
END $$;

CREATE TRIGGER listing_created AFTER INSERT ON listing FOR EACH ROW EXECUTE FUNCTION listing_created();

-- For subscribers, a listing hidden by a moderator counts as removed.
CREATE FUNCTION listing_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event (type, subject)
    VALUES (CASE WHEN NEW.hidden THEN 'listing.removed' ELSE 'listing.updated' END, NEW.uuid);
    RETURN NULL;
END $$;

CREATE TRIGGER listing_updated AFTER UPDATE ON listing FOR EACH ROW
WHEN (NEW.version <> OLD.version AND NOT (OLD.hidden AND NEW.hidden))
EXECUTE FUNCTION listing_updated();

CREATE FUNCTION listing_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event (type, subject) VALUES ('listing.removed', OLD.uuid);
    RETURN NULL;
END $$;

CREATE TRIGGER listing_removed AFTER DELETE ON listing FOR EACH ROW
WHEN (NOT OLD.hidden)
EXECUTE FUNCTION listing_removed();

CREATE FUNCTION poi_imported() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event (type, subject) VALUES ('poi.imported', NEW.name);
    RETURN NULL;
END $$;

CREATE TRIGGER poi_imported AFTER INSERT ON poi_source FOR EACH ROW EXECUTE FUNCTION poi_imported();

CREATE FUNCTION poi_imported_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event (type, subject) VALUES ('poi.imported', NEW.name);
    RETURN NULL;
END $$;

CREATE TRIGGER poi_imported_again AFTER UPDATE ON poi_source FOR EACH ROW EXECUTE FUNCTION poi_imported_again();

CREATE FUNCTION listing_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO listing_renewal (listing_id, is_open, renewed_at)
    VALUES (NEW.id, NEW.status IN ('lost', 'found', 'sighted'), utc_now());
    RETURN NULL;
END $$;

CREATE TRIGGER listing_begins AFTER INSERT ON listing FOR EACH ROW EXECUTE FUNCTION listing_begins();

-- Every change by the owner renews the listing. The removal of a photo does not, because a moderator may have removed
-- it.
CREATE FUNCTION listing_renews() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE listing_renewal
    SET is_open = NEW.status IN ('lost', 'found', 'sighted'), renewed_at = utc_now(), warned_at = NULL,
        expired_from = CASE WHEN NEW.status = OLD.status THEN expired_from END
    WHERE listing_id = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER listing_renews AFTER UPDATE OF updated_at, status ON listing FOR EACH ROW
WHEN (NEW.status <> OLD.status OR NEW.updated_at <> OLD.updated_at
    AND json_array_length(NEW.photos::json) >= json_array_length(OLD.photos::json))
EXECUTE FUNCTION listing_renews();

CREATE FUNCTION listing_changes_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO listing_history (listing_id, type, former, status) VALUES (NEW.id, 'status', OLD.status, NEW.status);
    RETURN NULL;
END $$;

CREATE TRIGGER listing_changes_status AFTER UPDATE OF status ON listing FOR EACH ROW
WHEN (NEW.status <> OLD.status)
EXECUTE FUNCTION listing_changes_status();

CREATE FUNCTION listing_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO listing_history (listing_id, type) VALUES (NEW.id, 'moved');
    RETURN NULL;
END $$;

CREATE TRIGGER listing_moves AFTER UPDATE OF geom, place ON listing FOR EACH ROW
WHEN (NOT NEW.geom = OLD.geom OR NEW.place IS DISTINCT FROM OLD.place)
EXECUTE FUNCTION listing_moves();

-- The service closes an expired listing and then notes its former status.
CREATE FUNCTION listing_expires() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE listing_history SET type = 'expired'
    WHERE id = (SELECT max(id) FROM listing_history WHERE listing_id = NEW.listing_id) AND type = 'status';
    RETURN NULL;
END $$;

CREATE TRIGGER listing_expires AFTER UPDATE OF expired_from ON listing_renewal FOR EACH ROW
WHEN (OLD.expired_from IS NULL AND NEW.expired_from IS NOT NULL)
EXECUTE FUNCTION listing_expires();

-- Keeps the newest 200 rows of a listing.
CREATE FUNCTION listing_history_is_bounded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM listing_history
    WHERE listing_id = NEW.listing_id AND id <= (
        SELECT id FROM listing_history WHERE listing_id = NEW.listing_id ORDER BY id DESC LIMIT 1 OFFSET 200);
    RETURN NULL;
END $$;

CREATE TRIGGER listing_history_is_bounded AFTER INSERT ON listing_history FOR EACH ROW
EXECUTE FUNCTION listing_history_is_bounded();

-- Devices send nothing more about an animal that is not looked for any more.
CREATE FUNCTION track_closes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE track SET closed_at = utc_now(), version = version + 1 WHERE listing_id = NEW.id AND closed_at IS NULL;
    RETURN NULL;
END $$;

CREATE TRIGGER track_closes AFTER UPDATE OF status ON listing FOR EACH ROW
WHEN (NEW.status <> OLD.status AND NEW.status <> 'lost')
EXECUTE FUNCTION track_closes();

-- An account that gets the listing of a guest becomes the author of what the guest attached.
CREATE FUNCTION sighting_follows_listing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE sighting
    SET owner_id = NEW.account_id,
        account_id = CASE account_id WHEN OLD.account_id THEN NEW.account_id ELSE account_id END
    WHERE listing_id = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER sighting_follows_listing AFTER UPDATE OF account_id ON listing FOR EACH ROW
EXECUTE FUNCTION sighting_follows_listing();

CREATE FUNCTION listing_fans_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO alert_fan_out (listing_id) SELECT NEW.id WHERE EXISTS (SELECT 1 FROM alert);
    RETURN NULL;
END $$;

CREATE TRIGGER listing_fans_out AFTER INSERT ON listing FOR EACH ROW
WHEN (NEW.status IN ('lost', 'found', 'sighted') AND NOT NEW.hidden)
EXECUTE FUNCTION listing_fans_out();

CREATE FUNCTION listing_fans_out_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO alert_fan_out (listing_id) SELECT NEW.id WHERE EXISTS (SELECT 1 FROM alert)
    ON CONFLICT (listing_id) DO UPDATE SET turn = 0, last_alert_id = 0, noted_at = excluded.noted_at;
    RETURN NULL;
END $$;

CREATE TRIGGER listing_fans_out_again AFTER UPDATE OF status, hidden ON listing FOR EACH ROW
WHEN (NEW.status IN ('lost', 'found', 'sighted') AND NOT NEW.hidden AND (NEW.status <> OLD.status OR OLD.hidden))
EXECUTE FUNCTION listing_fans_out_again();

CREATE FUNCTION conversation_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO conversation_party (conversation_id, is_owner, account_id, listing_id)
    VALUES (NEW.id, false, NEW.writer_id, NEW.listing_id),
        (NEW.id, true, (SELECT account_id FROM listing WHERE id = NEW.listing_id), NEW.listing_id);
    RETURN NULL;
END $$;

CREATE TRIGGER conversation_begins AFTER INSERT ON conversation FOR EACH ROW EXECUTE FUNCTION conversation_begins();

CREATE FUNCTION message_arrives() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE conversation_party
    SET last_id = NEW.id, name = coalesce(CASE WHEN NEW.is_delivered THEN NEW.contact_name END, name)
    WHERE conversation_id = NEW.conversation_id AND is_owner = NEW.is_owners;
    UPDATE conversation_party SET last_id = NEW.id, unread = unread + 1
    WHERE conversation_id = NEW.conversation_id AND is_owner <> NEW.is_owners AND NEW.is_delivered;
    RETURN NULL;
END $$;

CREATE TRIGGER message_arrives AFTER INSERT ON message FOR EACH ROW EXECUTE FUNCTION message_arrives();

-- When guests log in, their conversations move to the account. Conversations of an account with itself are deleted.
CREATE FUNCTION conversation_follows_writer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE conversation_party SET account_id = NEW.writer_id WHERE conversation_id = NEW.id AND NOT is_owner;
    DELETE FROM conversation
    WHERE id = NEW.id AND writer_id = (SELECT account_id FROM listing WHERE id = NEW.listing_id);
    RETURN NULL;
END $$;

CREATE TRIGGER conversation_follows_writer AFTER UPDATE OF writer_id ON conversation FOR EACH ROW
EXECUTE FUNCTION conversation_follows_writer();

CREATE FUNCTION conversation_follows_listing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM conversation WHERE listing_id = NEW.id AND writer_id = NEW.account_id;
    UPDATE conversation_party SET account_id = NEW.account_id
    WHERE conversation_id IN (SELECT id FROM conversation WHERE listing_id = NEW.id) AND is_owner;
    RETURN NULL;
END $$;

CREATE TRIGGER conversation_follows_listing AFTER UPDATE OF account_id ON listing FOR EACH ROW
EXECUTE FUNCTION conversation_follows_listing();

CREATE FUNCTION photo_enters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM photo_leftover WHERE uuid = NEW.uuid;
    UPDATE listing
    SET photos = (SELECT photos FROM listing_photos WHERE listing_id = NEW.listing_id), version = version + 1,
        updated_at = utc_now()
    WHERE id = NEW.listing_id;
    UPDATE account SET picture = '/photos/' || NEW.uuid || '-800.jpg', updated_at = utc_now() WHERE id = NEW.account_id;
    RETURN NULL;
END $$;

CREATE TRIGGER photo_enters AFTER INSERT ON photo FOR EACH ROW EXECUTE FUNCTION photo_enters();

CREATE FUNCTION photo_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO photo_leftover (uuid, removable_at) VALUES (OLD.uuid, utc_now())
    ON CONFLICT (uuid) DO UPDATE SET removable_at = excluded.removable_at;
    UPDATE listing
    SET photos = (SELECT photos FROM listing_photos WHERE listing_id = OLD.listing_id), version = version + 1,
        updated_at = utc_now()
    WHERE id = OLD.listing_id;
    UPDATE account SET picture = NULL, updated_at = utc_now()
    WHERE id = OLD.account_id AND picture = '/photos/' || OLD.uuid || '-800.jpg';
    RETURN NULL;
END $$;

CREATE TRIGGER photo_leaves AFTER DELETE ON photo FOR EACH ROW EXECUTE FUNCTION photo_leaves();

-- When the picture of an account is replaced by an external one or removed, the stored one is deleted.
CREATE FUNCTION account_picture() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM photo
    WHERE account_id = NEW.id AND '/photos/' || uuid || '-800.jpg' IS DISTINCT FROM NEW.picture;
    RETURN NULL;
END $$;

CREATE TRIGGER account_picture AFTER UPDATE OF picture ON account FOR EACH ROW EXECUTE FUNCTION account_picture();

CREATE FUNCTION report_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE report_case
    SET reports = reports + 1, last_reported_at = NEW.created_at,
        registered = registered
            + (EXISTS (SELECT 1 FROM account WHERE id = NEW.account_id AND role <> 'guest'))::int
    WHERE id = NEW.case_id;
    INSERT INTO report_reason (case_id, reason, reports) VALUES (NEW.case_id, NEW.reason, 1)
    ON CONFLICT (case_id, reason) DO UPDATE SET reports = report_reason.reports + 1;
    RETURN NULL;
END $$;

CREATE TRIGGER report_counts AFTER INSERT ON report FOR EACH ROW EXECUTE FUNCTION report_counts();

-- When an account is deleted, the text of its reports is deleted too; the reports themselves remain without a name.
CREATE FUNCTION account_leaves_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE report SET text = NULL WHERE account_id = OLD.id;
    RETURN OLD;
END $$;

CREATE TRIGGER account_leaves_report BEFORE DELETE ON account FOR EACH ROW EXECUTE FUNCTION account_leaves_report();

CREATE FUNCTION listing_hides() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE listing SET hidden = true, version = version + 1 WHERE id = NEW.listing_id AND NOT hidden;
    RETURN NULL;
END $$;

CREATE TRIGGER listing_hides AFTER INSERT ON listing_hiding FOR EACH ROW EXECUTE FUNCTION listing_hides();

CREATE FUNCTION listing_is_restored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE listing SET hidden = false, version = version + 1
    WHERE id = OLD.listing_id AND hidden AND NOT EXISTS (SELECT 1 FROM ban WHERE ban.account_id = listing.account_id);
    RETURN NULL;
END $$;

CREATE TRIGGER listing_is_restored AFTER DELETE ON listing_hiding FOR EACH ROW EXECUTE FUNCTION listing_is_restored();

CREATE FUNCTION account_is_banned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE account SET disabled = true WHERE id = NEW.account_id;
    UPDATE listing SET hidden = true, version = version + 1 WHERE account_id = NEW.account_id AND NOT hidden;
    RETURN NULL;
END $$;

CREATE TRIGGER account_is_banned AFTER INSERT ON ban FOR EACH ROW EXECUTE FUNCTION account_is_banned();

CREATE FUNCTION account_is_unbanned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Not if the ban is deleted together with its account.
    IF EXISTS (SELECT 1 FROM account WHERE id = OLD.account_id) THEN
        UPDATE account SET disabled = false WHERE id = OLD.account_id;
        UPDATE listing SET hidden = false, version = version + 1
        WHERE account_id = OLD.account_id AND hidden
            AND NOT EXISTS (SELECT 1 FROM listing_hiding WHERE listing_id = listing.id);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER account_is_unbanned AFTER DELETE ON ban FOR EACH ROW EXECUTE FUNCTION account_is_unbanned();

-- Rejects a post that was in progress when its account was banned.
CREATE FUNCTION listing_of_banned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM ban WHERE account_id = NEW.account_id) THEN
        RAISE integrity_constraint_violation USING MESSAGE = 'the account is banned';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER listing_of_banned BEFORE INSERT ON listing FOR EACH ROW EXECUTE FUNCTION listing_of_banned();

CREATE FUNCTION audit_is_never_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE integrity_constraint_violation USING MESSAGE = 'the audit is never changed';
END $$;

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_never_changed();

CREATE FUNCTION audit_is_never_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE integrity_constraint_violation USING MESSAGE = 'the audit is never removed';
END $$;

CREATE TRIGGER audit_is_never_removed BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_never_removed();

CREATE TRIGGER audit_is_never_emptied BEFORE TRUNCATE ON audit EXECUTE FUNCTION audit_is_never_removed();

CREATE FUNCTION audit_is_appended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.id IS DISTINCT FROM (SELECT coalesce(max(id), 0) + 1 FROM audit)
        OR NEW.previous IS DISTINCT FROM coalesce(
            (SELECT digest FROM audit ORDER BY id DESC LIMIT 1), decode(repeat('00', 32), 'hex'))
    THEN
        RAISE integrity_constraint_violation USING MESSAGE = 'the audit is only appended to';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER audit_is_appended BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_appended();

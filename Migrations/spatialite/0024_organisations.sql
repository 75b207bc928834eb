-- Organisations, such as shelters. An organisation is an account without a password, for which its members and keys act.

-- SQLite cannot change a CHECK, and nearly all tables refer to accounts. Rows of the wider CHECK are the same bytes, so only
-- the text of the definition is replaced, as https://www.sqlite.org/lang_altertable.html#otheralter describes.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema
SET sql = replace(replace(sql,
    'CHECK (role IN (''guest'', ''user'', ''admin''))', 'CHECK (role IN (''guest'', ''user'', ''admin'', ''organisation''))'),
    'CHECK ((role = ''guest'') = (email IS NULL))', 'CHECK ((role IN (''guest'', ''organisation'')) = (email IS NULL))')
WHERE type = 'table' AND name = 'account';

PRAGMA writable_schema = RESET;

CREATE TABLE organisation (
    account_id INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    -- That of the account.
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    about TEXT CHECK (length(about) <= 4000),
    website TEXT CHECK (website LIKE 'https://_%'),
    -- The telephone number, e-mail address and address that everybody sees.
    phone TEXT CHECK (length(phone) <= 40),
    email TEXT CHECK (email LIKE '%_@_%'),
    address TEXT CHECK (length(address) <= 200),
    lon REAL CHECK (lon BETWEEN -180 AND 180),
    lat REAL CHECK (lat BETWEEN -90 AND 90),
    -- When an admin verified who it is; NULL if nobody has.
    verified_at TEXT CHECK (verified_at GLOB '????-??-??T??:??:??.???Z'),
    version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    CHECK ((lon IS NULL) = (lat IS NULL))
);

CREATE TABLE organisation_member (
    organisation_id INTEGER NOT NULL REFERENCES organisation ON DELETE CASCADE,
    account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('manager', 'volunteer')),
    since TEXT NOT NULL CHECK (since GLOB '????-??-??T??:??:??.???Z'),
    PRIMARY KEY (organisation_id, account_id)
) WITHOUT ROWID;

CREATE INDEX organisation_member_account ON organisation_member (account_id);

-- Whether the address has an account is not looked up before its owner reads the invitation.
CREATE TABLE organisation_invitation (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    organisation_id INTEGER NOT NULL,
    email TEXT NOT NULL COLLATE NOCASE CHECK (email LIKE '%_@_%'),
    role TEXT NOT NULL CHECK (role IN ('manager', 'volunteer')),
    invited_by INTEGER NOT NULL,
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '????-??-??T??:??:??.???Z'),
    UNIQUE (organisation_id, email),
    -- Invitations and keys end when the member who made them leaves.
    FOREIGN KEY (organisation_id, invited_by) REFERENCES organisation_member ON DELETE CASCADE
);

CREATE INDEX organisation_invitation_email ON organisation_invitation (email);
CREATE INDEX organisation_invitation_member ON organisation_invitation (organisation_id, invited_by);
CREATE INDEX organisation_invitation_expiry ON organisation_invitation (expires_at);

CREATE TABLE api_key (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    -- The account that the key acts as.
    account_id INTEGER NOT NULL,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
    -- The SHA-256 digest of the token.
    token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    -- Names, separated by spaces.
    scopes TEXT NOT NULL CHECK (length(scopes) > 0),
    created_by INTEGER NOT NULL,
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    expires_at TEXT NOT NULL CHECK (expires_at GLOB '????-??-??T??:??:??.???Z'),
    -- To within ten minutes; NULL before the first use.
    last_used_at TEXT CHECK (last_used_at GLOB '????-??-??T??:??:??.???Z'),
    FOREIGN KEY (account_id, created_by) REFERENCES organisation_member ON DELETE CASCADE
);

CREATE INDEX api_key_member ON api_key (account_id, created_by);
CREATE INDEX api_key_expiry ON api_key (expires_at);

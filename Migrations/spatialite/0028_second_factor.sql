-- Time-based codes (TOTP, RFC 6238) as the second factor of an account, and the codes that replace them.

CREATE TABLE second_factor (
    account_id INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    -- The secret of 20 bytes, encrypted with the key file beside the database (AES-256-GCM: nonce, text, tag).
    sealed_secret BLOB NOT NULL CHECK (length(sealed_secret) = 48),
    created_at TEXT NOT NULL CHECK (created_at GLOB '????-??-??T??:??:??.???Z'),
    -- NULL until the owner has shown a code. Until then, nobody needs one to sign in.
    confirmed_at TEXT CHECK (confirmed_at GLOB '????-??-??T??:??:??.???Z'),
    -- The time step of the last accepted code. Codes of this step and of earlier ones are refused.
    last_step INTEGER CHECK (last_step >= 0),
    CHECK ((confirmed_at IS NULL) = (last_step IS NULL))
);

-- Each code works once.
CREATE TABLE recovery_code (
    account_id INTEGER NOT NULL REFERENCES second_factor ON DELETE CASCADE,
    -- SHA-256. The codes have 80 random bits.
    code_hash BLOB NOT NULL CHECK (length(code_hash) = 32),
    used_at TEXT CHECK (used_at GLOB '????-??-??T??:??:??.???Z'),
    PRIMARY KEY (account_id, code_hash)
) WITHOUT ROWID;

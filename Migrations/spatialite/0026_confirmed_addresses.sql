-- Whether a person has shown that the address of the account is theirs, by a link in a mail or to the operator. Other addresses
-- get no notifications. A service without a mail server cannot ask, so its accounts are registered without it. How older
-- accounts were registered is not stored; they stay as they are.
ALTER TABLE account ADD COLUMN email_confirmed INTEGER NOT NULL DEFAULT 1 CHECK (email_confirmed IN (0, 1));

-- Languages by their tags (BCP 47): the program knows which there are.

-- A new form of the column is no change of the account.
ALTER TABLE account DISABLE TRIGGER account_updated;
ALTER TABLE account ADD COLUMN tag text CHECK (length(tag) BETWEEN 2 AND 35);
UPDATE account SET tag = language WHERE language IS NOT NULL;
ALTER TABLE account DROP COLUMN language;
ALTER TABLE account RENAME COLUMN tag TO language;
ALTER TABLE account ENABLE TRIGGER account_updated;

ALTER TABLE pending_registration ADD COLUMN tag text NOT NULL DEFAULT 'en' CHECK (length(tag) BETWEEN 2 AND 35);
UPDATE pending_registration SET tag = language;
ALTER TABLE pending_registration DROP COLUMN language;
ALTER TABLE pending_registration RENAME COLUMN tag TO language;

ALTER TABLE outgoing_mail ADD COLUMN tag text NOT NULL DEFAULT 'en' CHECK (length(tag) BETWEEN 2 AND 35);
UPDATE outgoing_mail SET tag = language;
ALTER TABLE outgoing_mail DROP COLUMN language;
ALTER TABLE outgoing_mail RENAME COLUMN tag TO language;

ALTER TABLE push_subscription ADD COLUMN tag text NOT NULL DEFAULT 'en' CHECK (length(tag) BETWEEN 2 AND 35);
UPDATE push_subscription SET tag = language;
ALTER TABLE push_subscription DROP COLUMN language;
ALTER TABLE push_subscription RENAME COLUMN tag TO language;

UPDATE schema_version SET number = 55;

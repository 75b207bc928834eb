-- Reunions that the board shows because their owners agreed to it. Reopening a listing withdraws that.

CREATE TABLE shown_reunion (
    listing_id bigint PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    shown_at utc_time NOT NULL
);

CREATE INDEX shown_reunion_time ON shown_reunion (shown_at);

CREATE FUNCTION shown_reunion_reopened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM shown_reunion WHERE listing_id = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER shown_reunion_reopened AFTER UPDATE OF status ON listing FOR EACH ROW
WHEN (OLD.status = 'reunited' AND NEW.status <> 'reunited') EXECUTE FUNCTION shown_reunion_reopened();

UPDATE schema_version SET number = 41;

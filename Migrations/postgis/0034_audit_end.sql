-- The number of the last entry of the audit log that was ever written, so that entries that were removed from the end are a
-- gap, also when new ones are written. A sequence would count entries that were rolled back, too.
CREATE TABLE audit_end (
    id bigint PRIMARY KEY CHECK (id = 1),
    last bigint NOT NULL CHECK (last >= 0)
);

INSERT INTO audit_end (id, last) SELECT 1, coalesce(max(id), 0) FROM audit;

CREATE OR REPLACE FUNCTION audit_is_appended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.id IS DISTINCT FROM (SELECT last + 1 FROM audit_end)
        OR NEW.previous IS DISTINCT FROM coalesce(
            (SELECT digest FROM audit ORDER BY id DESC LIMIT 1), decode(repeat('00', 32), 'hex'))
    THEN
        RAISE integrity_constraint_violation USING MESSAGE = 'the audit is only appended to';
    END IF;
    UPDATE audit_end SET last = NEW.id;
    RETURN NEW;
END $$;

UPDATE schema_version SET number = 34;

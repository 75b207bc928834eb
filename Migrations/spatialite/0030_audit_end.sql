-- The next entry of the audit log gets the number after the last one that was ever written, so that entries that were removed
-- from the end remain a gap when new ones are written.
DROP TRIGGER audit_is_appended;

-- REPLACE deletes rows without firing delete triggers, so a new entry is only accepted after the last one.
CREATE TRIGGER audit_is_appended BEFORE INSERT ON audit
WHEN NEW.id IS NOT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0) + 1
    OR NEW.previous IS NOT coalesce((SELECT digest FROM audit ORDER BY id DESC LIMIT 1), zeroblob(32)) BEGIN
    SELECT RAISE(ABORT, 'the audit is only appended to');
END;

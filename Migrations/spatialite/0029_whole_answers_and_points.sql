-- Two checks let NULL through: a match could be linked with one answer missing, and a message could have a longitude
-- without a latitude. The program never wrote such rows. If there are some, the link of the match ends, and the message
-- loses its point.
UPDATE match_answer SET linked_at = NULL, found_status = NULL
WHERE linked_at IS NOT NULL AND (lost_answer IS NULL OR found_answer IS NULL);
UPDATE message SET lon = NULL, place = NULL WHERE lon IS NOT NULL AND lat IS NULL;

-- SQLite adds no CHECK to a table, and copying all messages would take long, so triggers refuse these rows.
CREATE TRIGGER match_answer_is_whole BEFORE INSERT ON match_answer
WHEN NEW.linked_at IS NOT NULL AND (NEW.lost_answer IS NULL OR NEW.found_answer IS NULL)
BEGIN
    SELECT RAISE(ABORT, 'CHECK constraint failed: linked_at needs both answers');
END;

CREATE TRIGGER match_answer_stays_whole BEFORE UPDATE ON match_answer
WHEN NEW.linked_at IS NOT NULL AND (NEW.lost_answer IS NULL OR NEW.found_answer IS NULL)
BEGIN
    SELECT RAISE(ABORT, 'CHECK constraint failed: linked_at needs both answers');
END;

CREATE TRIGGER message_point_is_whole BEFORE INSERT ON message WHEN NEW.lon IS NOT NULL AND NEW.lat IS NULL BEGIN
    SELECT RAISE(ABORT, 'CHECK constraint failed: lon needs lat');
END;

CREATE TRIGGER message_point_stays_whole BEFORE UPDATE OF lon, lat ON message
WHEN NEW.lon IS NOT NULL AND NEW.lat IS NULL
BEGIN
    SELECT RAISE(ABORT, 'CHECK constraint failed: lon needs lat');
END;

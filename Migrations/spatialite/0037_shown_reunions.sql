-- Reunions that the board shows because their owners agreed to it. Reopening a listing withdraws that.

CREATE TABLE shown_reunion (
    listing_id INTEGER PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    shown_at TEXT NOT NULL CHECK (shown_at GLOB '????-??-??T??:??:??.???Z')
);

CREATE INDEX shown_reunion_time ON shown_reunion (shown_at);

CREATE TRIGGER shown_reunion_reopened AFTER UPDATE OF status ON listing
WHEN OLD.status = 'reunited' AND NEW.status <> 'reunited'
BEGIN
    DELETE FROM shown_reunion WHERE listing_id = NEW.id;
END;

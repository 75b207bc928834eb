-- The time of the last renewal of a listing by its owner. It is a separate table because a change of `listing` would
-- rebuild the listing's index entries.

CREATE TABLE listing_renewal (
    listing_id INTEGER PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
    -- When its owner last wrote it, by the clock of this service.
    renewed_at TEXT NOT NULL,
    -- When its owner was told that it ends soon.
    warned_at TEXT,
    -- What it was when it ended; NULL where it stands or where its owner closed it.
    expired_from TEXT CHECK (expired_from IN ('lost', 'found', 'sighted'))
);

INSERT INTO listing_renewal (listing_id, is_open, renewed_at)
SELECT id, status IN ('lost', 'found', 'sighted'), strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM listing;

CREATE INDEX listing_renewal_due ON listing_renewal (warned_at, renewed_at) WHERE is_open;

CREATE TRIGGER listing_begins AFTER INSERT ON listing BEGIN
    INSERT INTO listing_renewal (listing_id, is_open, renewed_at)
    VALUES (NEW.id, NEW.status IN ('lost', 'found', 'sighted'), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;

-- Every change by the owner renews the listing. The removal of a photo does not, because a moderator may have removed
-- it.
CREATE TRIGGER listing_renews AFTER UPDATE OF updated_at, status ON listing
WHEN NEW.status <> OLD.status
    OR NEW.updated_at <> OLD.updated_at AND json_array_length(NEW.photos) >= json_array_length(OLD.photos) BEGIN
    UPDATE listing_renewal
    SET is_open = NEW.status IN ('lost', 'found', 'sighted'), renewed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
        warned_at = NULL, expired_from = CASE WHEN NEW.status = OLD.status THEN expired_from END
    WHERE listing_id = NEW.id;
END;

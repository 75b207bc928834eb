-- The ids of the listings that a message of an alert is about, as a JSON list; NULL for other messages.
ALTER TABLE outgoing_mail ADD COLUMN listings TEXT CHECK (listings IS NULL OR json_valid(listings));
ALTER TABLE outgoing_event ADD COLUMN listings TEXT CHECK (listings IS NULL OR json_valid(listings));

CREATE INDEX outgoing_mail_listings ON outgoing_mail (listings) WHERE listings IS NOT NULL;
CREATE INDEX outgoing_event_listings ON outgoing_event (listings) WHERE listings IS NOT NULL;

-- How many messages about a listing readers have got from their alerts. Its owner sees it.
CREATE TABLE listing_told (
    listing_id INTEGER NOT NULL REFERENCES listing ON DELETE CASCADE,
    channel TEXT NOT NULL CHECK (channel IN ('mail', 'push')),
    messages INTEGER NOT NULL CHECK (messages > 0),
    first_at TEXT NOT NULL CHECK (first_at GLOB '????-??-??T??:??:??.???Z'),
    last_at TEXT NOT NULL CHECK (last_at GLOB '????-??-??T??:??:??.???Z'),
    PRIMARY KEY (listing_id, channel)
) WITHOUT ROWID;

-- Nobody is told any more of an animal that is home, or of a listing that is hidden or deleted. Summaries go on.
CREATE TRIGGER listing_stops_messages AFTER UPDATE OF status, hidden ON listing
WHEN NEW.hidden OR NEW.status NOT IN ('lost', 'found', 'sighted') BEGIN
    DELETE FROM outgoing_mail WHERE listings = '[' || NEW.id || ']';
    DELETE FROM outgoing_event WHERE listings = '[' || NEW.id || ']';
END;

CREATE TRIGGER listing_leaves_messages AFTER DELETE ON listing BEGIN
    DELETE FROM outgoing_mail WHERE listings = '[' || OLD.id || ']';
    DELETE FROM outgoing_event WHERE listings = '[' || OLD.id || ']';
END;

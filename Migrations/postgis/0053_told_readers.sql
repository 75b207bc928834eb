-- The ids of the listings that a message of an alert is about, as a JSON list; NULL for other messages.
ALTER TABLE outgoing_mail ADD COLUMN listings text CHECK (listings IS NULL OR json_valid(listings));
ALTER TABLE outgoing_event ADD COLUMN listings text CHECK (listings IS NULL OR json_valid(listings));

CREATE INDEX outgoing_mail_listings ON outgoing_mail (listings) WHERE listings IS NOT NULL;
CREATE INDEX outgoing_event_listings ON outgoing_event (listings) WHERE listings IS NOT NULL;

-- How many messages about a listing readers have got from their alerts. Its owner sees it.
CREATE TABLE listing_told (
    listing_id bigint NOT NULL REFERENCES listing ON DELETE CASCADE,
    channel text NOT NULL CHECK (channel IN ('mail', 'push')),
    messages bigint NOT NULL CHECK (messages > 0),
    first_at utc_time NOT NULL,
    last_at utc_time NOT NULL,
    PRIMARY KEY (listing_id, channel)
);

-- Nobody is told any more of an animal that is home, or of a listing that is hidden or deleted. Summaries go on.
CREATE FUNCTION listing_stops_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM outgoing_mail WHERE listings = '[' || OLD.id || ']';
    DELETE FROM outgoing_event WHERE listings = '[' || OLD.id || ']';
    RETURN NULL;
END $$;

CREATE TRIGGER listing_stops_messages AFTER UPDATE OF status, hidden ON listing
FOR EACH ROW WHEN (NEW.hidden OR NEW.status NOT IN ('lost', 'found', 'sighted')) EXECUTE FUNCTION listing_stops_messages();

CREATE TRIGGER listing_leaves_messages AFTER DELETE ON listing
FOR EACH ROW EXECUTE FUNCTION listing_stops_messages();

UPDATE schema_version SET number = 53;

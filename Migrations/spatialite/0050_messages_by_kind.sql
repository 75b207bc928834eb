-- The messages to browsers and those to webhooks apart: at a host where no further message of one kind may be sent, looking for
-- one of the other kind does not read what waits.
DROP INDEX outgoing_event_turn;
-- With all columns that the query names; otherwise SQLite reads all that is due by another index, and sorts it.
CREATE INDEX outgoing_event_push_turn ON outgoing_event (host, turn, next_attempt_at, id, webhook_id)
    WHERE webhook_id IS NULL;
CREATE INDEX outgoing_event_webhook_turn ON outgoing_event (host, turn, next_attempt_at, id, webhook_id)
    WHERE webhook_id IS NOT NULL;

-- Closed listings by the time of the last sighting, for time windows that include them. Open ones are in board_seen.

CREATE INDEX listing_archive_seen ON listing (last_seen_at) WHERE status IN ('reunited', 'closed') AND hidden = 0;

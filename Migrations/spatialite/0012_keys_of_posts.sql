-- The idempotency key of a post determines the id of what it creates, so that no copy of the response is needed.

DROP TRIGGER listing_leaves_idempotency_key;
DROP TABLE idempotency_key;

-- Reunited listings that are not hidden by the time of their last change, for the figures on the page about the site.

CREATE INDEX listing_reunited ON listing (updated_at) WHERE status = 'reunited' AND hidden = 0;

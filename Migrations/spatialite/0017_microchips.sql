-- Listings by the number of the microchip. The index contains all columns that a lookup by a finder reads, so that it does
-- the same work for numbers with and without a listing.

CREATE INDEX listing_microchip ON listing (microchip, hidden, status) WHERE microchip IS NOT NULL;

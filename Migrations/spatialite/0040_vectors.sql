-- A vector of the model's features for each photo, by which individuals are recognised; NULL if the model makes none.
ALTER TABLE classification ADD COLUMN vector BLOB CHECK (length(vector) BETWEEN 1 AND 128);
